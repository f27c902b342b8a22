        return (ones(sz, sz, device=device) * 1.0).triu(1).to(dtype=dtype or ones(1).dtype) * -math.inf
