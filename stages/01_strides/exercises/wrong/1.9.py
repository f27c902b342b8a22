#: given
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start = max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: no_start | drops: at the far end of each named dimension
#: you turn the strides and begin where the array began: the first step leaves it. A walk backwards
#: begins at the far end.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: same_strides | drops: turns the sign of its stride
#: you begin at the far end and walk on forwards. The stride of a flipped dimension has the other
#: sign.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * strides[dim]
    return Layout(shape, tuple(turned), start)
#: all_turned | drops: the other dimensions stay as they are
#: you turn every stride. Only the named dimensions are walked backwards.
    turned = [-stride for stride in strides]
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * strides[dim]
    return Layout(shape, tuple(turned), start)
#: unchecked | drops: named once only
#: you take the dimensions as they are given. One that is named twice has to be refused:
#: `normalize_dims` does it.
    turned = list(strides)
    start = 0
    for dim in dims:
        start += max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: empty | drops: an empty one has no far end
#: an empty dimension has size 0, and you begin one step before it. It has no far end: its part is
#: 0.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += (shape[dim] - 1) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: one_too_far
#: you go as many steps as the dimension has elements. The last element is one step less far from
#: the first.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += shape[dim] * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: no_stride
#: you add the size alone. Each step along a dimension is `strides[dim]` positions long.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0)
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: always_negative
#: you make every stride negative. One that was negative already is turned around to positive: the
#: sign changes.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -abs(strides[dim])
    return Layout(shape, tuple(turned), start)
#: order
#: you turn the order of the strides around, not their signs. That is another view: the order is
#: `permute`'s.
    turned = list(reversed(strides))
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * strides[dim]
    return Layout(shape, tuple(turned), start)
#: turned_first
#: you multiply by the stride that has its new sign already, so you begin on the wrong side. The
#: way to the far end is walked with the old stride.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        turned[dim] = -strides[dim]
        start += max(shape[dim] - 1, 0) * turned[dim]
    return Layout(shape, tuple(turned), start)
#: largest
#: you keep the longest of the ways and forget the others. The far corner is at the end of all of
#: them: they are added.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start = max(start, max(shape[dim] - 1, 0) * strides[dim])
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: no_sign
#: you drop the sign of the stride. Where it is negative already, the far end lies at lower
#: positions, and the flipped stride is positive.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * abs(strides[dim])
        turned[dim] = -abs(strides[dim])
    return Layout(shape, tuple(turned), start)
#: last_of_all
#: you always begin at the array's last element. Only if all dimensions are flipped, and nothing
#: lies between the elements, is that the right corner.
    turned = list(strides)
    total = 1
    for size in shape:
        total *= size
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start = max(total - 1, 0)
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: ones_skipped
#: you pass over the dimensions of size 0 and 1, and their strides keep their sign. There is no way
#: to walk in them; the stride is turned all the same, as in NumPy.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        if shape[dim] > 1:
            start += (shape[dim] - 1) * strides[dim]
            turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: start_without_sign
#: you walk to the far end without the sign of the stride. Where it is negative, the far end lies at
#: lower positions.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * abs(strides[dim])
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: named_once
#: a dimension that is named twice is flipped once. It has to be refused: `normalize_dims` does it.
    turned = list(strides)
    start = 0
    for dim in {dim % len(shape) for dim in dims}:
        start += max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: empty_left_alone
#: you leave an array alone that has no elements. An empty dimension has no far end; the others are
#: flipped all the same.
    if 0 in shape:
        return Layout(shape, strides, 0)
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += (shape[dim] - 1) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: one_for_0
#: you take a stride of 0 for a missing one. Along a dimension that is repeated no step leads
#: anywhere: its far end is where it begins.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * (strides[dim] or 1)
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: multiplied
#: you multiply the ways to the far ends. They are added: one after the other leads to the far
#: corner.
    turned = list(strides)
    start = 1
    for dim in normalize_dims(dims, len(shape), "flip"):
        start *= max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start if dims else 0)
#: negative_left_alone
#: you pass over negative dims. They count from the back: `normalize_dims` returns all of them
#: counted from the front.
    turned = list(strides)
    start = 0
    normalize_dims(dims, len(shape), "flip")
    for dim in dims:
        if dim >= 0:
            start += max(shape[dim] - 1, 0) * strides[dim]
            turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
#: shape_turned
#: you turn the shape around. The sizes stay in their places: only the walk along a dimension is
#: turned.
    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * strides[dim]
        turned[dim] = -strides[dim]
    return Layout(shape[::-1], tuple(turned), start)
