    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], size, *shape[k + 1 :], count),
        (*strides[:k], stride, *strides[k + 1 :], step * stride),
    )
