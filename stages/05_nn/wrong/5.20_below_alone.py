        for child in self.children():
            for module in child.modules():
                module.training = mode
        return self
