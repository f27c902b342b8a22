        later = ones(sz, sz, device=device).triu(2) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
