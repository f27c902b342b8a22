        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = db = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) * (1 / rows.shape[0])
        if self.needs(2):
            db = rows.sum(0) * (1 / rows.shape[0])
        return dx, dw, db
