        if self.training == mode:
            return self
        for module in self.modules():
            module.training = mode
        return self
