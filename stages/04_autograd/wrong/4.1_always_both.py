        return grad * self.saved(1), grad * self.saved(0)
