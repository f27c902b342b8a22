        for module in self.modules():
            module.training = mode
        return module
