        return ones(sz, sz, device=device, dtype=dtype).tril()
