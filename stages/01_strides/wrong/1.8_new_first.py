    count = (room - size) // step + 1
    return Layout(
        (size, *shape[:k], count, *shape[k + 1 :]),
        (stride, *strides[:k], step * stride, *strides[k + 1 :]),
    )
