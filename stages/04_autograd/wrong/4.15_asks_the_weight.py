        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(1) else None
        return dx, dw, db
