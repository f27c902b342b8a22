        later = ones(sz, sz).triu(1) > 0
        return full((sz, sz), 0.0, dtype=dtype).masked_fill(later, -math.inf)
