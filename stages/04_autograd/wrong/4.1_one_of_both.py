        if self.needs(0):
            return grad * self.saved(1), None
        return None, grad * self.saved(0)
