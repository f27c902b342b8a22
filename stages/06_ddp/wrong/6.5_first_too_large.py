    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = FIRST_BUCKET_BYTES if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
