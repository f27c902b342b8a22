        starts = tuple(map(max, self.starts, other.starts))
        lengths = tuple(map(min, self.lengths, other.lengths))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        return Box(starts, lengths) if all(map(int.__lt__, starts, ends)) else None
