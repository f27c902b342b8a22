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
#: empty_windows
#: you count windows of size 0 differently. An empty one fits at every place and behind the last
#: element too: the rule is the same.
    count = (room - size) // step + 1 if size else room // step
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: empty_windows_as_elements
#: you begin an empty window at elements alone. One fits behind the last element too: count the
#: places up to `room - size`.
    count = (room - size) // step + 1 if size else len(range(0, room, step))
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: without_sign
#: you dropped the sign of the stride. Windows over a dimension that is read backwards are read
#: backwards too.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * abs(stride), *strides[k + 1 :], abs(stride)),
    )
#: behind_k
#: the dimension inside the windows stands behind dimension `k`. It is the new LAST one.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, size, *shape[k + 1 :]),
        (*strides[:k], step * stride, stride, *strides[k + 1 :]),
    )
#: last_stride
#: inside a window you walk along the last dimension. A window lies along dimension `k`: its stride
#: leads from one neighbour to the next.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], strides[-1]),
    )
#: one_at_least
#: one window is missing wherever there are several. Count the steps from the first window to the
#: last, and one more.
    count = max((room - size) // step, 1)
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: one_for_0
#: you take a stride of 0 for a missing one. A dimension that is repeated is repeated inside the
#: windows too.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride or 1),
    )
#: side_by_side
#: the windows begin `size` elements apart. The next one begins `step` further on, so they may
#: overlap.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], size * stride, *strides[k + 1 :], stride),
    )
#: exchanged
#: you exchanged size and step in the count. The last window begins at `room - size`, and a window
#: is begun every `step`.
    count = (room - step) // size + 1 if size else room + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: begun_anywhere
#: you count a window for every place where one could be begun. Those near the end have no room for
#: `size` elements.
    count = -(-room // step)
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
#: strides_exchanged
#: you exchanged the strides. From one window to the next it goes `step` elements on, inside one a
#: single element.
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], stride, *strides[k + 1 :], step * stride),
    )
#: other_dimensions_lost
#: the other dimensions are gone. They stay as they are, and the new one comes behind them.
    count = (room - size) // step + 1
    return Layout((count, size), (step * stride, stride))
#: last_fits
#: you leave out the last window where it just fits. It may begin at `room - size`, and that counts
#: too.
    count = len(range(0, room - size, step))
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,))
#: pieces_counted
#: you count pieces side by side. One begins every `step` elements: count the places where a window
#: may begin.
    count = room // size if size else 0
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,))
#: stride_alone
#: you count the windows as if one began at every element. The step does not only make the stride
#: longer: there are fewer windows.
    count = room - size + 1
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,))
#: none_of_size_0
#: you say that there are no windows of size 0. One fits at every place, and behind the last element
#: too.
    count = (room - size) // step + 1 if size > 0 else 0
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,))
#: floats
#: you divide with `/`, which gives floats. They do not hold every whole number above 2 ** 53: stay
#: with whole numbers.
    count = int((room - size) / step) + 1
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,))
#: counted_one_by_one
#: you count the windows one by one. Arithmetic tells it at once, however long the dimension is.
    count = 0
    start = 0
    while start + size <= room:
        count += 1
        start += step
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,))
#: step_cut
#: you cut the step down to the size of a window. It may be larger: elements between two windows are
#: passed over.
    jump = min(step, size)
    count = (room - size) // jump + 1
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * jump,) + strides[k + 1:] + (stride,))
#: dim_itself
#: you use `dim`, which may be negative. `k` is the same dimension, counted from the front.
    count = (room - size) // step + 1
    return Layout(shape[:dim] + (count,) + shape[dim + 1:] + (size,), strides[:dim] + (stride * step,) + strides[dim + 1:] + (stride,))
#: plain_tuple
#: you return a plain tuple. The new view is a `Layout`, whose parts have names.
    count = (room - size) // step + 1
    return shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (stride * step,) + strides[k + 1:] + (stride,), 0
#: forwards_from_window_to_window
#: you dropped the sign of the stride. Windows over a dimension that is read backwards are read
#: backwards too.
    count = (room - size) // step + 1
    jump = step * abs(stride)
    return Layout(shape[:k] + (count,) + shape[k + 1:] + (size,), strides[:k] + (jump,) + strides[k + 1:] + (stride,))
#: as_if_copied
#: you give the strides of an array stored in the new shape. Nothing is copied: both dimensions walk
#: over the old elements.
    count = (room - size) // step + 1
    new = (*shape[:k], count, *shape[k + 1 :], size)
    dense = [1]
    for length in new[:0:-1]:
        dense.insert(0, dense[0] * length)
    return Layout(new, tuple(dense))
#: no_new_dimension
#: you add no dimension. A new LAST one walks inside the windows.
    count = (room - size) // step + 1
    return Layout((*shape[:k], count, *shape[k + 1 :]), (*strides[:k], step * stride, *strides[k + 1 :]))
#: step_added
#: you add the step to the stride. `step` elements, each `stride` places long, are a product.
    count = (room - size) // step + 1
    return Layout((*shape[:k], count, *shape[k + 1 :], size), (*strides[:k], step + stride, *strides[k + 1 :], stride))
#: begins_later
#: your windows begin later than the old view. The first one begins where it does: the offset stays.
    count = (room - size) // step + 1
    return Layout((*shape[:k], count, *shape[k + 1 :], size), (*strides[:k], step * stride, *strides[k + 1 :], stride), step * stride)
