        self.training = mode
        for child in self.children():
            child.train()
        return self
