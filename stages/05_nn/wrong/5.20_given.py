        self.training = mode
        for child in self.children():
            child.training = mode
        return self
