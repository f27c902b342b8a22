#: start_as_position
#: you added the first index to the offset as it is. An index counts elements along the dimension;
#: the offset counts places: multiply by the stride.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first)
#: stride_kept | drops: strides
#: the stride stayed as it was. Taking every second element makes each step twice as long.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    return Layout(new_shape, strides, offset + first * strides[k])
#: first_dimension | drops: along dimension `k`
#: you sliced the first dimension, whichever was asked for. The new size, stride and start belong
#: to dimension `k`.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    k = 0
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: offset_kept | drops: offset of the new layout
#: the view begins where the old one did. Its first element is the one at the first index: the
#: offset moves.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset)
#: shape_kept | drops: Shape
#: the size stayed as it was. A slice has fewer elements: `slice_range` says how many.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = shape
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: step_alone
#: the step takes the place of the stride. A step of 2 is two of the dimension's own strides.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: begins_at_new_stride
#: you walk to the first element in the view's new steps. `first` counts elements of the old
#: dimension.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k] * jump)
#: offset_lost
#: you forget where the old view began. The new one begins so many elements further on.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, first * strides[k])
#: backwards_positive
#: a negative step walks forwards. Its sign belongs to the stride.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * abs(jump), *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: size_divided
#: you take the whole dimension divided by the step for the size. Start and stop count as well:
#: `slice_range` says how many are left.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], -(-shape[k] // abs(jump)), *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
