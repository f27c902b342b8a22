    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start = max(start, max(shape[dim] - 1, 0) * strides[dim])
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
