#: every_place_alike
#: every place is read through the node, also where None was kept: `saved` hands out as it is what
#: is no tensor. No question is left but how many there are, and a freed graph is asked for one, for
#: the error. Shorter, and it leans on how `saved` treats None, which nothing here says.
        count = 1 if self.kept is None else len(self.kept)
        found = [self.saved(i) for i in range(count)]
