    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * abs(jump), *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
