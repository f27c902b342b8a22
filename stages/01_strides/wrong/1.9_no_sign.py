    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0) * abs(strides[dim])
        turned[dim] = -abs(strides[dim])
    return Layout(shape, tuple(turned), start)
