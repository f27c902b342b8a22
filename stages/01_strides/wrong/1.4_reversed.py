    normalize_dims(dims, ndim, "permute")
    return Layout(shape[::-1], strides[::-1])
