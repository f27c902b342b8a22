        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        for _, array, version in self.kept or ():
            if array.version != version:
                raise RuntimeError("[backward] a kept value was edited")
        found = [self.saved(i) for i in range(len(self.kept or ()))]
