        start = max(self.starts[0], other.starts[0])
        end = min(self.starts[0] + self.lengths[0], other.starts[0] + other.lengths[0])
        starts, lengths = (start, *self.starts[1:]), (end - start, *self.lengths[1:])
        return Box(starts, lengths) if end > start else None
