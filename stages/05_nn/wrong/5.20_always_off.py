        for module in self.modules():
            module.training = False
        return self
