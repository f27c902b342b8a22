        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(max(0, end - start) for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths)
