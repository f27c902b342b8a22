        starts, lengths = [], []
        for a, n, b, m in zip(*self, *other, strict=True):
            if not a <= b < a + n:
                return None
            starts.append(b)
            lengths.append(min(a + n - b, m))
        return Box(tuple(starts), tuple(lengths))
