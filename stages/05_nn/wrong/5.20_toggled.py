        for module in self.modules():
            module.training = not module.training
        return self
