#: no_overlap | drops: Windows overlap
#: you cut the dimension into pieces side by side. Windows begin every `step` elements, and overlap
#: when that is less than their size.
    return Layout(
        (*shape[:k], room // size if size else room + 1, *shape[k + 1 :], size),
        (*strides[:k], size * stride, *strides[k + 1 :], stride),
    )
#: one_too_few | drops: counts the windows
#: one window is missing at the end. Count the places where a window may begin: both the first and
#: the last one count.
    return Layout(
        (*shape[:k], (room - size) // step, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: every_one | drops: one begun every `step`
#: a window begins at every element. The next one begins `step` further on, so there are fewer.
    count = room - size + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], stride, *strides[k + 1 :], stride),
    )
#: inside_dense | drops: walks inside one
#: inside a window you walk through the buffer place by place. Neighbours along dimension `k` lie
#: its stride apart.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], 1),
    )
#: new_first | drops: a new LAST dimension
#: the dimension inside the windows came first. It is the new LAST one.
    count = (room - size) // step + 1
    return Layout(
        (size, *shape[:k], count, *shape[k + 1 :]),
        (stride, *strides[:k], step * stride, *strides[k + 1 :]),
    )
#: old_count | drops: every run of `size` neighbours
#: you counted windows that run over the end. A window of `size` elements must have room for all of
#: them.
    count = room // step
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: steps_overlap
#: both new dimensions have the window's step. Inside a window the elements are the old neighbours:
#: that stride is the old one.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], step * stride),
    )
#: inside_counts
#: you exchanged the two: the number of windows stands last, the size of a window in its place.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], size, *shape[k + 1 :], count),
        (*strides[:k], stride, *strides[k + 1 :], step * stride),
    )
#: step_as_stride
#: the windows begin `step` places of the buffer apart. They begin `step` elements of the dimension
#: apart, each `stride` places long.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step, *strides[k + 1 :], stride),
    )
#: rest_counts
#: you round up: the last window would run over the end. Only whole windows count.
    count = -(-(room - size) // step) + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
