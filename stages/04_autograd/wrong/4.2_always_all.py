        rows = grad.reshape(-1, out_features)
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return grad @ self.saved(1), dw, rows.sum(0)
