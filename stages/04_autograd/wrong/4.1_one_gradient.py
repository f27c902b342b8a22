        return grad * self.saved(1)
