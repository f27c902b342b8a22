    return Layout(
        (*shape[:k], (room - size) // step, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
