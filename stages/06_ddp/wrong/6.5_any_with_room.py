    buckets, rooms = [], []
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        for bucket, room in enumerate(rooms):
            if size <= room and buckets[bucket][0][1].dtype is parameter.dtype:
                break
        else:
            bucket = len(buckets)
            buckets.append([])
            rooms.append(cap_bytes if bucket else min(cap_bytes, FIRST_BUCKET_BYTES))
        buckets[bucket].append((name, parameter))
        rooms[bucket] -= size
    return buckets
