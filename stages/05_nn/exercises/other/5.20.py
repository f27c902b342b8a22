#: each_tells_its_own
#: each module sets its own mode and calls `train` of its children. A part that has a `train` of
#: its own, say a frozen batch norm that stays in evaluation, is then asked; a part that is used
#: twice is told twice.
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self
