        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
