#: sum_of_outer_products
#: dW written as what it is: each row of dZ times each row of X, one small matrix a row, and all of
#: them added up. No matrix is turned; but N matrices of (out, in) are in memory at once, where the
#: product of the turned dZ with X needs none, and runs many times faster.
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            columns = grad.reshape(-1, out_features, 1)
            dw = (columns * self.saved(0).reshape(-1, 1, x_shape[-1])).sum(0)
        return dx, dw, grad.reshape(-1, out_features).sum(0) if self.needs(2) else None
