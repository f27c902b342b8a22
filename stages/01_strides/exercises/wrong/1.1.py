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
#: one_for_none
#: a shape without dimensions gets a stride. There is one stride for each dimension: of `()` there
#: are none.
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides))
#: begins_again_at_0
#: behind a size of 0 you begin again with a step of 1. The 0 counts as 1: the step stays as long as
#: it was.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step = step * size or 1
    return tuple(reversed(strides))
#: ones_in_an_empty_array
#: every dimension of an empty array has the stride 1. Only the size 0 counts as 1: the other sizes
#: are multiplied as always.
    step = 1
    for size in shape:
        step *= max(size, 1)
    strides = []
    for size in shape:
        step //= size or 1
        strides.append(step)
    return tuple(strides) if all(shape) else (1,) * len(shape)
#: zero_for_one
#: a dimension of size 1 has the stride 0. No step is ever taken along it, but row-major strides
#: are those of its place: all that follows, multiplied.
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step if size > 1 else 0)
        step *= max(size, 1)
    return tuple(reversed(strides))
#: up_to_three
#: your strides are right up to three dimensions. A shape may have any number of them: a loop goes
#: through all.
    if len(shape) == 3:
        return (max(shape[1], 1) * max(shape[2], 1), max(shape[2], 1), 1)
    if len(shape) == 2:
        return (max(shape[1], 1), 1)
    return (1,) * len(shape)
#: empty_all_zero
#: an empty array has strides of 0. It keeps usable ones: a size of 0 counts as 1.
    if 0 in shape:
        return (0,) * len(shape)
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
#: first_left_at_0
#: the stride of the first dimension stays 0. It is the longest: it jumps over all that follow.
    strides, step = [0] * len(shape), 1
    for dim in range(len(shape) - 1, 0, -1):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)
#: one_for_a_product_of_0
#: you put 1 where the product of what follows is 0. Only the size 0 counts as 1: the sizes beside
#: it are still multiplied.
    return tuple(prod(shape[dim + 1 :]) or 1 for dim in range(len(shape)))
