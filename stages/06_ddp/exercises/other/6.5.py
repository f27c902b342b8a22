#: weighed_again
#: a function weighs a bucket, and the one at hand is weighed anew for every parameter. No counter
#: can get out of step with what is in the buckets; the cost grows with the square of a bucket.
    def weigh(pairs: list[Named]) -> int:
        return sum(p.numel() * p.dtype.itemsize for _, p in pairs)

    buckets: list[list[Named]] = []
    for pair in reversed(named):
        room = cap_bytes if len(buckets) > 1 else min(cap_bytes, FIRST_BUCKET_BYTES)
        last = buckets[-1] if buckets else []
        if last and last[0][1].dtype is pair[1].dtype and weigh([*last, pair]) <= room:
            last.append(pair)
        else:
            buckets.append([pair])
    return buckets
