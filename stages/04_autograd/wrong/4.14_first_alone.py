        self.saved(0)
        found = [None if item is None else item[0] for item in self.kept or ()]
