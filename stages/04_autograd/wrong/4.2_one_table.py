        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = grad.mT @ self.saved(0) if self.needs(1) else None
        return dx, dw, grad.sum(0) if self.needs(2) else None
