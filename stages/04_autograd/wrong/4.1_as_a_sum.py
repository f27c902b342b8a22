        return grad if self.needs(0) else None, grad if self.needs(1) else None
