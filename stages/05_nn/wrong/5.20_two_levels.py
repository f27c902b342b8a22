        self.training = mode
        for child in self.children():
            child.training = mode
            for grandchild in child.children():
                grandchild.training = mode
        return self
