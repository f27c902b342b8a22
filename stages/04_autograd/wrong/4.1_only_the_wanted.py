        found = []
        if self.needs(0):
            found.append(grad * self.saved(1))
        if self.needs(1):
            found.append(grad * self.saved(0))
        return tuple(found)
