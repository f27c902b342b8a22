#: size_one_counts | drops: it does not count
#: you compared the stride of a dimension of size 1. No step is taken along it, so any stride will
#: do there.
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if stride != expected:
            return False
        expected *= size
    return True
#: last_stride_only | drops: one place after the other
#: you looked at the last stride alone. Rows may be dense inside and still lie apart from each
#: other.
    return 0 in shape or not shape or shape[-1] == 1 or strides[-1] == 1
#: column_major | drops: in row-major order
#: you began at the first dimension: that is column-major order. In row-major order the LAST
#: dimension is walked first.
    expected = 1
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return True
        if size > 1 and stride != expected:
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected *= size
    return True
#: empty_counts | drops: An array without elements is contiguous
#: you looked at the strides of an array that has no elements. Nothing is walked, so nothing can be
#: out of place.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True
#: outer_zero
#: a size of 0 counts only where you have come to it. The array is empty wherever the 0 stands,
#: also before the stride that seemed wrong.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True
#: only_sorted
#: you ask whether the strides fall from left to right. Rows with a gap between them fall too: each
#: stride has to be just the size of all that follows.
    steps = [stride for size, stride in zip(shape, strides, strict=True) if size > 1]
    return 0 in shape or (steps == sorted(steps, reverse=True) and steps[-1:] in ([], [1]))
#: any_sign
#: you let a stride go backwards. An array that is read from its end is not in order.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size > 1 and abs(stride) != expected:
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected *= size
    return True
#: sizes_unmultiplied
#: you expect each stride to be the size of the next dimension alone. It is the product of all
#: sizes that follow.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size > 1 and stride != expected:
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected = size
    return True
#: zero_is_fine
#: you let a stride of 0 pass. A repeated element is one place in the buffer, where an array in
#: order has several.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size > 1 and stride not in (0, expected):
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected *= size
    return True
#: never_one
#: you call no array contiguous whose dimension has size 1. No step is taken along it: it decides
#: nothing.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size == 1 or stride != expected:
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected *= size
    return True
#: row_major_strides
#: you compare with row-major strides, one by one. The stride of a dimension of size 1 decides
#: nothing, and an array without elements is contiguous whatever its strides are.
    steps, step = [], 1
    for size in reversed(shape):
        steps.append(step)
        step *= max(size, 1)
    return strides == tuple(reversed(steps))
#: fills_its_range
#: you ask whether the elements reach from the first place to the last. A transposed table reaches
#: as far, in another order: each stride has to be the right one.
    count = numel(shape)
    span = bounds(Layout(shape, strides))
    return span is None or span == (0, count - 1)
#: each_place_once
#: you ask whether every place is visited once. Their order counts too: a transposed table visits
#: all, but not one after the other.
    seen = positions(Layout(shape, strides))
    return len({*seen}) == len(seen) and (not seen or max(seen) == len(seen) - 1)
#: zero_compared
#: you compare the stride of a dimension of size 0. An array without elements is contiguous,
#: whatever its strides are.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= max(size, 1)
    return True
#: ends_alone
#: you look at the first stride and at the last. A dimension between them may lie wrong as well.
    if 0 in shape or not shape:
        return True
    behind = numel(shape[1:])
    first, last = shape[0] == 1 or strides[0] == behind, shape[-1] == 1 or strides[-1] == 1
    return first and last
#: neighbours_compared
#: you compare each stride with its neighbour's. Where the neighbour has size 1, its stride says
#: nothing: compare with the product of all sizes that follow.
    for k in range(len(shape) - 1):
        if shape[k] > 1 and strides[k] != strides[k + 1] * shape[k + 1]:
            return 0 in shape
    return not shape or 0 in shape or shape[-1] == 1 or strides[-1] == 1
#: empty_is_not
#: you say that an array without elements is not contiguous. There is nothing in it that could be
#: out of place.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return False
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True
#: gaps_allowed
#: you let a stride be longer than what follows. Between the rows then lie places that are never
#: visited: each stride is exactly the size of all that follow.
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1 and stride < expected:
            return 0 in shape
        expected = max(size * stride, 1)
    return True
#: one_dimension_is_always
#: you call every array of one dimension contiguous. Its elements may lie apart, or be read from the
#: end: its stride is 1, or it has one element at most.
    if len(shape) <= 1:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1 and stride != expected:
            return 0 in shape
        expected *= size
    return True
#: sorted_alike
#: you sort the strides before you compare. Their order is what matters: a transposed table has the
#: same strides in another order.
    if 0 in shape:
        return True
    pairs = [(n, s) for n, s in zip(shape, strides) if n != 1]
    want = row_major(tuple(n for n, _ in pairs))
    return sorted(s for _, s in pairs) == sorted(want)
#: last_stride_free
#: you never ask what the last stride is. Neighbours in a row have to lie one place apart.
    if 0 in shape:
        return True
    expected = None
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 1:
            continue
        if expected is not None and stride != expected:
            return False
        expected = stride * size
    return True
#: one_ends
#: you stop at a dimension of size 1. It decides nothing, and those before it are still to be looked
#: at: pass over it.
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 1:
            return True
        if stride != expected:
            return False
        expected *= size
    return True
#: ones_in_front
#: you pass over dimensions of size 1 in front alone. They may stand anywhere: their strides never
#: count.
    if 0 in shape:
        return True
    while shape and shape[0] == 1:
        shape, strides = shape[1:], strides[1:]
    return strides == row_major(shape)
#: empty_in_front
#: you look for a size of 0 in front alone. Wherever it stands, the array has no elements.
    if shape and shape[0] == 0:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride != expected:
            return False
        if size == 0 and stride != 1:
            return False
        expected *= size
    return True
#: number_is_not
#: you say that a single number, of shape (), is not contiguous. It has one place: nothing can be
#: out of order.
    if not shape:
        return False
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True
#: zero_passed_over
#: you pass over a dimension with stride 0. All its elements lie in one place, where an array in
#: order has several.
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if stride == 0 or size == 1:
            continue
        if stride != expected:
            return False
        expected *= size
    return True
#: first_stride_alone
#: you look at the first stride alone. Those behind it may lie wrong as well.
    real = [(size, stride) for size, stride in zip(shape, strides) if size != 1]
    return 0 in shape or not real or real[0][1] == numel([size for size, _ in real[1:]])
#: first_passed_over
#: you leave the first dimension out. Rows may be dense inside and still lie apart from each other.
    if 0 in shape:
        return True
    expected = 1
    for i in range(len(shape) - 1, 0, -1):
        if shape[i] > 1 and strides[i] != expected:
            return False
        expected *= shape[i]
    return True
#: either_order
#: you call column-major order contiguous too. Only row-major order counts: the LAST dimension is
#: walked first.
    if 0 in shape:
        return True
    def runs(pairs):
        expected = 1
        for size, stride in pairs:
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True
    pairs = list(zip(shape, strides))
    return runs(pairs) or runs(reversed(pairs))
#: every_element_listed
#: you walk along all elements. Shape and strides tell it at once, however many there are.
    from itertools import product as every
    places = [sum(i * s for i, s in zip(idx, strides)) for idx in every(*map(range, shape))]
    return places == list(range(len(places)))
#: floats
#: you divide with `/`, which gives floats. They do not hold every whole number above 2 ** 53: stay
#: with whole numbers.
    if 0 in shape:
        return True
    left = numel(shape)
    for size, stride in zip(shape, strides):
        left = left / size
        if size > 1 and stride != left:
            return False
    return True
#: falling
#: you ask whether the strides fall from left to right. Rows with a gap between them fall too: each
#: stride has to be just the size of all that follows.
    if 0 in shape:
        return True
    real = [s for n, s in zip(shape, strides) if n > 1]
    if not real:
        return True
    return real[-1] == 1 and all(a > b for a, b in zip(real, real[1:]))
#: added_up
#: you add the sizes up. Each stride is the PRODUCT of all sizes that follow.
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride != expected:
            return False
        expected = expected + size - 1
    return True
#: one_is_enough
#: you say True as soon as one stride is right. All of them have to be.
    expected = 1
    if 0 in shape or not shape:
        return True
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size == 1 or stride == expected:
            return True
        expected *= size
    return False
#: at_least
#: you ask whether each stride is large enough. With a larger one there are gaps: it has to be just
#: the size of all that follows.
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride < expected:
            return False
        expected *= size
    return True
