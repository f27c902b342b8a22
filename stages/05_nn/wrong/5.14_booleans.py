        return ones(sz, sz, device=device).triu(1) > 0
