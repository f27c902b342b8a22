        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + padded(spread, list(zip(starts, ends, strict=True)), 0.0)
        return total[(..., *(slice(p, -p) for p in self.padding))]
