    buckets, room, dtype = [], 0, None
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not buckets or size > room or parameter.dtype is not dtype:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append(name)
        room, dtype = room - size, parameter.dtype
    return buckets
