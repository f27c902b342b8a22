        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        kept = self.kept or ()
        found = [self.saved(i) for i, item in enumerate(kept) if item is not None]
