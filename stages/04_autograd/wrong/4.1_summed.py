        dx = (grad * self.saved(1)).sum() if self.needs(0) else None
        dy = (grad * self.saved(0)).sum() if self.needs(1) else None
        return dx, dy
