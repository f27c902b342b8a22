#: first_layer_first | drops: go through it from the back
#: you began with the first layer. Its gradient is ready LAST: no bucket could leave before
#: backward is almost over.
    buckets = []
    room = 0
    for name, parameter in named:
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: counts_elements | drops: A bucket holds `cap_bytes`
#: you counted elements. A bucket is measured in bytes, and a float32 has four of them.
    buckets = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel()
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: mixes_types | drops: All parameters of a bucket have one dtype
#: a bucket holds two dtypes. It is one flat buffer and one message, so all of it has one dtype.
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
#: first_as_large | drops: the first one no more than `FIRST_BUCKET_BYTES`
#: the first bucket is as large as the others. A small one leaves early, while most of backward is
#: still to come.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: first_too_large | drops: where the cap is larger
#: the first bucket holds `FIRST_BUCKET_BYTES`, also where the cap is smaller: take the smaller of
#: the two.
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
#: all_small
#: every bucket is no larger than `FIRST_BUCKET_BYTES`. Only the first one is.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES)
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: never_full
#: a parameter that fills a bucket to the last byte still fits into it.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size < room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: overfull | drops: as long as it fits
#: you look whether a bucket is full after something was put into it. Ask before whether it fits.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and room > 0 and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: any_with_room | drops: into the bucket at hand
#: you put a parameter into an earlier bucket that has room left. Only the one at hand is open: an
#: earlier one should be able to leave.
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
#: turned_inside
#: inside a bucket the parameters are in the order of the layers. What backward reaches first
#: stands first.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].insert(0, (name, parameter))
        room -= size
    return buckets
#: large_left_out | drops: One that is larger than a bucket gets a bucket to itself
#: a parameter that is larger than a bucket is left out. It gets a bucket to itself, however large.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if size > cap_bytes:
            continue
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: large_joins
#: a parameter that is larger than a bucket joins the one at hand. It gets a bucket to itself.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and (size <= room or size > cap_bytes) and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: begins_with_one
#: you begin with an empty bucket, which stays empty where there are no parameters, or where the
#: first one does not fit.
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
#: last_forgotten
#: the last bucket is missing: it is handed over only when the next one begins.
    buckets, bucket, room = [], [], min(cap_bytes, FIRST_BUCKET_BYTES)
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if bucket and (size > room or bucket[0][1].dtype is not parameter.dtype):
            buckets.append(bucket)
            bucket, room = [], cap_bytes
        bucket.append((name, parameter))
        room -= size
    return buckets
#: names_alone | drops: each a list of `(name, parameter)`
#: your buckets hold something else than pairs of name and parameter.
    buckets, room, dtype = [], 0, None
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not buckets or size > room or parameter.dtype is not dtype:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append(name)
        room, dtype = room - size, parameter.dtype
    return buckets
#: four_bytes
#: you count four bytes for every element. A float64 has eight: the dtype knows its `itemsize`.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * 4
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: list_turned | drops: stays as it is
#: you turn the caller's list round: `reverse` changes the list itself. `reversed(named)` goes
#: through it from the back and leaves it as it is.
    buckets = []
    room = 0
    named.reverse()
    for name, parameter in named:
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: list_emptied
#: you take the parameters out of the caller's list, which is empty afterwards. Read it, or a copy.
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
#: same_size_same_kind
#: you compare how many bytes an element has. float16 and bfloat16 have two each and cannot share a
#: message: compare the dtypes.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        same = buckets and buckets[-1][0][1].dtype.itemsize == parameter.dtype.itemsize
        if not (same and size <= room):
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: empty_left_out
#: you leave out a parameter without elements. It belongs to a bucket too, in which it takes no
#: room.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not size:
            continue
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: joins_the_large
#: a parameter without elements joins the bucket of one that is larger than a bucket. That one has
#: its bucket to itself.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= max(room, 0) and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: large_leaves_the_room
#: after a parameter with a bucket to itself you go on with the room of the bucket before. The next
#: one begins a new bucket, whose room is the cap.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if size > (cap_bytes if buckets else min(cap_bytes, FIRST_BUCKET_BYTES)):
            buckets.append([(name, parameter)])
            continue
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: one_element_at_least
#: you count one element where a parameter has none. It takes no room.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = max(parameter.numel(), 1) * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: bucket_for_each_dtype
#: you keep a bucket open for each dtype. There is one bucket at hand: another dtype closes it, so
#: that it can leave.
    buckets: list[list[Named]] = []
    open_ones: dict = {}
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        bucket, room = open_ones.get(parameter.dtype, (None, 0))
        if bucket is None or size > room:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            bucket = []
            buckets.append(bucket)
        bucket.append((name, parameter))
        open_ones[parameter.dtype] = (bucket, room - size)
    return buckets
#: small_for_each_dtype
#: the first bucket of every dtype is as small as the very first. Only that one is.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            other = not buckets or buckets[-1][0][1].dtype is not parameter.dtype
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if other else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: rows_counted
#: you count the rows of a parameter. It has as many elements as its sizes multiply to: `numel()`.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.shape[0] * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: a_tuple
#: you return a tuple. What is asked for is a list of buckets.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return tuple(buckets)
#: lists_for_pairs
#: your buckets hold something else than the pairs of name and parameter that were given: a pair is
#: a tuple.
    buckets = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not buckets or size > room or buckets[-1][0][1].dtype is not parameter.dtype:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append([name, parameter])
        room -= size
    return buckets
#: room_of_the_other_dtype
#: another dtype begins a bucket, and you go on with the room that the one before had left. A new
#: bucket has all of its room.
    buckets = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not buckets or size > room:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        elif buckets[-1][0][1].dtype is not parameter.dtype:
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: bucket_before_the_large
#: after a parameter with a bucket to itself you go on filling the bucket before. It is the one at
#: hand no more: an earlier one should be able to leave.
    buckets = []
    room = 0
    at = None
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        cap = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
        if size > cap and at is not None:
            buckets.append([(name, parameter)])
            continue
        if at is None or size > room or at[0][1].dtype is not parameter.dtype:
            room = cap
            at = []
            buckets.append(at)
        at.append((name, parameter))
        room -= size
    return buckets
#: one_for_none
#: you return an empty bucket where there are no parameters.
    buckets = [[]]
    room = min(cap_bytes, FIRST_BUCKET_BYTES)
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if buckets[-1] and (size > room or buckets[-1][0][1].dtype is not parameter.dtype):
            room = cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: room_never_used
#: you never take the bytes off the room that is left, so a bucket is never full.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
    return buckets
#: one_each
#: every parameter gets a bucket of its own. Put each into the bucket at hand as long as it fits.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits or fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: small_after_the_first
#: the first bucket holds the cap, and all after it are as small as the first should be.
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
#: buckets_turned
#: you return the buckets in the order of the layers. The one that backward fills first stands
#: first.
    buckets = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        if not buckets or size > room or buckets[-1][0][1].dtype is not parameter.dtype:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets[::-1]
#: bits_counted
#: you count eight for each byte. A bucket is measured in bytes.
    buckets = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize * 8
        if not buckets or size > room or buckets[-1][0][1].dtype is not parameter.dtype:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
