        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = []
        for item in self.kept or ():
            if item is not None and item[1].version != item[2]:
                raise RuntimeError("[backward] a kept value was edited")
            found.append(item and item[0])
