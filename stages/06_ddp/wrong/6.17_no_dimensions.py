        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if lengths and min(lengths) > 0 else None
