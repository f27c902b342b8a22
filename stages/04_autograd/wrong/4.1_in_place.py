        dx = dy = None
        if self.needs(0):
            dx = grad
            dx *= self.saved(1)
        if self.needs(1):
            dy = grad
            dy *= self.saved(0)
        return dx, dy
