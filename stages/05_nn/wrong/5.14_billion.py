        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -1e9)
