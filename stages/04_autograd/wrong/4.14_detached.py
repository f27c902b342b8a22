        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else item[0].detach() for item in self.kept or ()]
