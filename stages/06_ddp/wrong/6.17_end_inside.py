        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start + 1 for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
