        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows @ self.saved(0).reshape(-1, x_shape[-1]).mT
        return dx, dw, rows.sum(0) if self.needs(2) else None
