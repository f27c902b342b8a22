        seen = next(iter(slices))
        spread = _apart(seen, self.stride)
        sizes = spread.array.shape[-len(whole) :]
        widths = [(0, w - n) for w, n in zip(whole, sizes, strict=True)]
        total = padded(spread, widths, 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
