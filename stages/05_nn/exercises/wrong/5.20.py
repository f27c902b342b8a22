#: given | drops: in every module below it, however deep
#: the mode stops at the children. What is deeper keeps its own: tell every module below.
        self.training = mode
        for child in self.children():
            child.training = mode
        return self
#: self_alone
#: you set the mode of this module alone. Its parts must hear of it too.
        self.training = mode
        return self
#: two_levels
#: you go one level deeper and stop there. There may be any number of levels: who tells the next?
        self.training = mode
        for child in self.children():
            child.training = mode
            for grandchild in child.children():
                grandchild.training = mode
        return self
#: below_alone | drops: in this module
#: you set the mode of what is below and not of the module itself.
        for child in self.children():
            for module in child.modules():
                module.training = mode
        return self
#: leaves_alone
#: you set the mode of modules without children alone. Each one has a mode, the root too.
        for module in self.modules():
            if not list(module.children()):
                module.training = mode
        return self
#: always_off | drops: must become `mode`
#: you switch training off whatever `mode` says. `train()` could then never switch it on again.
        for module in self.modules():
            module.training = False
        return self
#: mode_not_passed
#: you do not hand `mode` on: `child.train()` without it means True.
        self.training = mode
        for child in self.children():
            child.train()
        return self
#: toggled
#: you turn the mode over instead of setting it. Calling `eval()` twice must not train.
        for module in self.modules():
            module.training = not module.training
        return self
#: only_if_changed
#: you stop where the module itself has the mode already. A part of it may have another one.
        if self.training == mode:
            return self
        for module in self.modules():
            module.training = mode
        return self
#: returns_nothing | drops: the module itself is returned
#: you return nothing. `model = Net().eval()` would make None of the model.
        for module in self.modules():
            module.training = mode
#: returns_the_last
#: you return the module that the loop came to last.
        for module in self.modules():
            module.training = mode
        return module
#: children_off
#: you switch off every child, whatever `mode` says. `train()` must reach them too.
        self.training = mode
        for child in self.children():
            child.eval()
        return self
#: three_levels
#: you write the levels out one by one, and what lies deeper keeps its mode. There may be any number
#: of levels: who tells the next?
        self.training = mode
        for child in self.children():
            child.training = mode
            for grandchild in child.children():
                grandchild.training = mode
                for last in grandchild.children():
                    last.training = mode
        return self
#: five_levels
#: you write the levels out one by one, and what lies deeper keeps its mode. There may be any number
#: of levels: who tells the next?
        self.training, level = mode, [self]
        for _ in range(5):
            level = [child for module in level for child in module.children()]
            for module in level:
                module.training = mode
        return self
#: stops_where_right
#: you stop at a child that has the mode already. A part below it may have another one.
        self.training = mode
        for child in self.children():
            if child.training != mode:
                child.train(mode)
        return self
#: a_copy
#: you return a copy. `model = Net().eval()` would go on with another model.
        import copy

        for module in self.modules():
            module.training = mode
        return copy.copy(self)
#: nothing_set
#: you set no mode at all.
        for module in self.modules():
            module.training = module.training
        return self
