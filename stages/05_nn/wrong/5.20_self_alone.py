        self.training = mode
        return self
