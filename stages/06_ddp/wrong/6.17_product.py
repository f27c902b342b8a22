        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        elements = 1
        for length in lengths:
            elements *= length
        return Box(starts, lengths) if elements > 0 else None
