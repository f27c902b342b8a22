        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        for item in self.kept or ():
            if isinstance(item, tuple) and item[1].version != 0:
                raise RuntimeError("[backward] a kept value was edited")
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
