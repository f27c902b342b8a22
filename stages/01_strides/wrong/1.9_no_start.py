    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
