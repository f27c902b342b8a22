    return Layout(
        (*shape[:k], room // size if size else room + 1, *shape[k + 1 :], size),
        (*strides[:k], size * stride, *strides[k + 1 :], stride),
    )
