#: column_major | drops: stores row after row
#: you began at the first dimension: those are the strides of column-major order (Fortran's). In
#: row-major order the LAST index moves by 1.
    strides = []
    step = 1
    for size in shape:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)
#: own_size | drops: The last index moves by 1
#: you counted a dimension's own size in its own stride. A step along a dimension jumps over what
#: FOLLOWS it.
    strides = []
    step = 1
    for size in reversed(shape):
        step *= max(size, 1)
        strides.append(step)
    return tuple(reversed(strides))
#: zero_spreads | drops: In an empty array a size of 0 counts as 1
#: a size of 0 turned the strides before it into 0. An empty array keeps usable strides: let 0
#: count as 1.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
#: in_bytes | drops: in elements
#: you counted in bytes. A stride says how many elements further the next one lies: the last index
#: moves by 1.
    strides = []
    step = 8
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)  # an empty array still gets usable strides
    return tuple(reversed(strides))
#: next_alone | drops: jumps over everything that follows
#: each stride knows only the dimension right behind its own. A step jumps over ALL that follow:
#: multiply on from where you are.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step = max(size, 1)  # an empty array still gets usable strides
    return tuple(reversed(strides))
#: turned_back
#: the strides are right and stand in the opposite order. They were collected from the last
#: dimension on: turn them around.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)  # an empty array still gets usable strides
    return tuple(strides)
#: running_total
#: you add the sizes that follow. A row of 3 columns with 4 numbers each is 3 times 4 long: they
#: are multiplied.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step += max(size, 1)  # an empty array still gets usable strides
    return tuple(reversed(strides))
#: all_ones
#: every dimension has the stride 1. Only the last one has: one step along another jumps over all
#: that follow.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
    return tuple(reversed(strides))
#: begins_at_size
#: the last dimension begins with its own size. Its elements are neighbours: the last stride is 1.
    strides = []
    step = shape[-1] if shape else 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)  # an empty array still gets usable strides
    return tuple(reversed(strides))
