    buckets, bucket, room = [], [], min(cap_bytes, FIRST_BUCKET_BYTES)
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if bucket and (size > room or bucket[0][1].dtype is not parameter.dtype):
            buckets.append(bucket)
            bucket, room = [], cap_bytes
        bucket.append((name, parameter))
        room -= size
    return buckets
