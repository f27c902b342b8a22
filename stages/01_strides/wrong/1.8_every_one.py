    count = room - size + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], stride, *strides[k + 1 :], stride),
    )
