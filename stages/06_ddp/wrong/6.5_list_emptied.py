    buckets = []
    room = 0
    while named:
        name, parameter = named.pop()
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
