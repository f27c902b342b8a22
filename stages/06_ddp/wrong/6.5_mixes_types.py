    buckets = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not buckets or size > room:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
