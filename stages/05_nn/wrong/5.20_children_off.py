        self.training = mode
        for child in self.children():
            child.eval()
        return self
