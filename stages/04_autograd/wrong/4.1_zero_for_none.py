        dx = grad * self.saved(1) if self.needs(0) else 0
        dy = grad * self.saved(0) if self.needs(1) else 0
        return dx, dy
