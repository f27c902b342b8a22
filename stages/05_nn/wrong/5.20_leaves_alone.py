        for module in self.modules():
            if not list(module.children()):
                module.training = mode
        return self
