    count = -(-(room - size) // step) + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
