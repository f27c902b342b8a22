        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        kept = enumerate(self.kept or ())
        found = [self.saved(i) if isinstance(item, tuple) else item for i, item in kept]
