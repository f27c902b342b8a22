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
#: begins_without_sign
#: you walk to the first element without the sign of the stride. Along a negative stride it lies at
#: lower positions: the offset falls.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * abs(strides[k]))
#: rounded_down
#: you round the number of elements down. The last step need not be whole: `slice_range` counts
#: right.
    first, last, jump = slice(start, stop, step).indices(shape[k])
    size = max(0, (last - first) // jump)
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + (first if size else 0) * strides[k])
#: empty_moves
#: an empty view begins where its slice would. It has no first element: `slice_range` gives 0, so
#: that the offset never leaves the buffer.
    first, last, jump = slice(start, stop, step).indices(shape[k])
    size = len(range(first, last, jump))
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: start_0_for_none
#: you put 0 for a start that is not given. With a negative step the walk begins at the end: leave
#: the `None` to `slice_range`.
    first, size, jump = slice_range(slice(start or 0, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: given_start
#: you begin at the `start` that was given. It may be missing or negative: the first index comes
#: from `slice_range`.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + (start or 0) * strides[k])
#: backwards_from_the_end
#: with a negative step you always begin at the last element. The slice may begin before it: at the
#: first index that `slice_range` gives.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    first = shape[k] - 1 if jump < 0 and size else first
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: one_for_0
#: you take a stride of 0 for a missing one. A dimension that is repeated stays repeated: 0 times
#: any step is 0.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    stride = strides[k] or 1
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], stride * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * stride)
#: stop_as_size
#: you take the bounds for the size: stop less start. A step takes only some of these:
#: `slice_range` says how many.
    first, last, jump = slice(start, stop, step).indices(shape[k])
    new_shape = (*shape[:k], abs(last - first), *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: last_dimension
#: you slice the last dimension, whichever was asked for. Size, stride and start belong to
#: dimension `k`.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:-1], size)
    new_strides = (*strides[:-1], strides[-1] * jump)
    return Layout(new_shape, new_strides, offset + first * strides[-1])
#: rounded_for_steps_forward
#: you round the number of elements as for a step forwards. With a negative step that counts too
#: many: `slice_range` counts right.
    first, last, jump = slice(start, stop, step).indices(shape[k])
    size = max(0, (last - first + jump - 1) // jump)
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + (first if size else 0) * strides[k])
#: offset_multiplied
#: you multiply the old offset by the stride too. It counts places already: only the first index is
#: turned into places.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, (offset + first) * strides[k])
#: dimension_lost
#: the dimension is gone. A slice keeps it, with fewer elements; one index alone takes it away.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    return Layout(
        shape[:k] + shape[k + 1 :], strides[:k] + strides[k + 1 :], offset + first * strides[k]
    )
#: every_stride
#: you multiply every stride by the step. The step belongs to dimension `k` alone.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = tuple(stride * jump for stride in strides)
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: step_added
#: you add the step to the stride. A step of 2 is two of the dimension's own strides: multiply.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] + jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
#: bounds_as_given
#: you work out the size from the bounds as they were given. They may be negative, or lie beyond the
#: end: `slice_range` says how many elements there are.
    first, _, jump = slice_range(slice(start, stop, step), shape[k])
    end = shape[k] if stop is None else stop
    size = max(0, (end - first + jump - 1) // jump) if jump > 0 else max(0, (first - (-1 if stop is None else stop) - jump - 1) // -jump)
    return Layout((*shape[:k], size, *shape[k + 1:]), (*strides[:k], strides[k] * jump, *strides[k + 1:]), offset + first * strides[k])
#: dim_itself
#: you use `dim`, which may be negative. `k` is the same dimension, counted from the front.
    first, size, jump = slice_range(slice(start, stop, step), shape[dim])
    new_shape = shape[:dim] + (size,) + shape[dim + 1:]
    new_strides = strides[:dim] + (strides[dim] * jump,) + strides[dim + 1:]
    return Layout(new_shape, new_strides, offset + first * strides[dim])
#: step_as_given
#: you take the step that was given. One element has no next, and such a step may be too large for a
#: stride: `slice_range` returns the step to take.
    first, size, _ = slice_range(slice(start, stop, step), shape[k])
    return Layout(shape[:k] + (size,) + shape[k + 1:], strides[:k] + (strides[k] * (step or 1),) + strides[k + 1:], offset + first * strides[k])
#: unpacked_in_another_order
#: you read what `slice_range` returns in another order. It gives the first index, then how many,
#: then the step.
    first, jump, size = slice_range(slice(start, stop, step), shape[k])
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[k])
#: stop_0_for_none
#: you take a stop of 0 for none. A walk backwards may end before element 0: hand `stop` on as it
#: is.
    first, size, jump = slice_range(slice(start, stop or None, step), shape[k])
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[k])
#: last_for_first
#: with a negative step you always begin at the last element. The slice may begin before it: at the
#: first index that `slice_range` gives.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    if jump < 0:
        first = shape[k] - 1
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[k])
#: one_is_dropped
#: you drop a dimension that is left with one element. A slice keeps it, with size 1; only an index
#: drops a dimension.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    begin = offset + first * strides[k]
    if size == 1:
        return Layout(shape[:k] + shape[k + 1:], strides[:k] + strides[k + 1:], begin)
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), begin)
#: plain_tuple
#: you return a plain tuple. The new view is a `Layout`, whose parts have names.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    return (*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[k]
#: others_dense
#: you give the other dimensions the strides of an array stored row after row. The old array may be
#: a view: they keep theirs.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    dense = [1]
    for length in shape[:0:-1]:
        dense.insert(0, dense[0] * length)
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*dense[:k], dense[k] * jump, *dense[k + 1 :]), offset + first * strides[k])
#: empty_loses_offset
#: an empty view loses the offset. It begins where the old one does, 0 elements further on.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    begin = offset + first * strides[k] if size else 0
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), begin)
#: first_along_the_last
#: you walk to the first element along the last dimension. `first` counts elements of dimension `k`.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[-1])
#: divided_afterwards
#: you divide the size by the step and round down. The last step need not be whole: let
#: `slice_range` have the step too.
    first, size, _ = slice_range(slice(start, stop), shape[k])
    jump = 1 if step is None else step
    return Layout((*shape[:k], size // abs(jump), *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[k])
#: size_of_another
#: you hand the size of another dimension to `slice_range`. It is dimension `k` that is sliced.
    first, size, jump = slice_range(slice(start, stop, step), shape[0])
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), offset + first * strides[k])
#: sliced_in_front
#: you put the sliced dimension in front. The order of the dimensions stays: it is the k-th still.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    return Layout((size, *shape[:k], *shape[k + 1 :]), (strides[k] * jump, *strides[:k], *strides[k + 1 :]), offset + first * strides[k])
#: offset_falls
#: with a negative step your offset falls. The view begins at the first index, which lies behind
#: element 0 as ever: the offset grows by it.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    begin = offset - first * strides[k] if jump < 0 else offset + first * strides[k]
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] * jump, *strides[k + 1 :]), begin)
#: stride_divided
#: you divide the stride by the step. Who takes every second element makes longer steps: multiply.
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    return Layout((*shape[:k], size, *shape[k + 1 :]), (*strides[:k], strides[k] // jump, *strides[k + 1 :]), offset + first * strides[k])
