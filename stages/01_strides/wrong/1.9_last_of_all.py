    turned = list(strides)
    total = 1
    for size in shape:
        total *= size
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        start = max(total - 1, 0)
        turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
