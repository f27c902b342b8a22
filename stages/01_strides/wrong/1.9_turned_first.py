    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        turned[dim] = -strides[dim]
        start += max(shape[dim] - 1, 0) * turned[dim]
    return Layout(shape, tuple(turned), start)
