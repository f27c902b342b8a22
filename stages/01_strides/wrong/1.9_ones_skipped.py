    turned = list(strides)
    start = 0
    for dim in normalize_dims(dims, len(shape), "flip"):
        if shape[dim] > 1:
            start += (shape[dim] - 1) * strides[dim]
            turned[dim] = -strides[dim]
    return Layout(shape, tuple(turned), start)
