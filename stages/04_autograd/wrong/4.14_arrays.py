        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        kept = self.kept or ()
        found = [None if item is None else self.saved_array(i) for i, item in enumerate(kept)]
