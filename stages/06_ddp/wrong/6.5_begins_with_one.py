    buckets, room = [[]], min(cap_bytes, FIRST_BUCKET_BYTES)
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        alike = not buckets[-1] or buckets[-1][0][1].dtype is parameter.dtype
        if size > room or not alike:
            buckets.append([])
            room = cap_bytes
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
