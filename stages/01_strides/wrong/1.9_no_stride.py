    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start += max(shape[dim] - 1, 0)
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
