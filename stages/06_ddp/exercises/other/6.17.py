#: ranges
#: Python's own `range` is a piece of one dimension: it knows its start, its length, and whether it
#: is empty. No sign is asked and nothing is subtracted; a range object is made for each dimension.
        sides = zip(*self, *other, strict=True)
        common = [range(max(a, b), min(a + n, b + m)) for a, n, b, m in sides]
        if not all(common):
            return None
        return Box(tuple(side.start for side in common), tuple(map(len, common)))
