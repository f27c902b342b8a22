#: no_offset | drops: the offset
#: you began at position 0. A view may begin anywhere in its buffer: begin at the layout's offset.
    position = 0
    for i, size, stride in zip(idx, layout.shape, layout.strides):
        if not -size <= i < size:
            raise IndexError("out of range")
        position += (i % size) * stride
    return position
#: negative_unshifted | drops: Negative indices count from the back
#: you multiplied a negative index as it is. Index -1 is the last element of its dimension: add the
#: size first.
    position = layout.offset
    for i, size, stride in zip(idx, layout.shape, layout.strides):
        if not -size <= i < size:
            raise IndexError("out of range")
        position += i * stride
    return position
#: last_alone | drops: plus each index
#: only the last index counts. Every index moves along its own dimension: add up what all of them
#: contribute.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position = layout.offset + (i + size if i < 0 else i) * stride
    return position
#: without_strides | drops: times its stride
#: you added the indices as they are. One step along a dimension is as long as its stride.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += (i + size if i < 0 else i)
    return position
#: unchecked | drops: An index that is out of range for its dimension raises `IndexError`
#: an index that does not exist finds the element of another row. Ask whether it fits its
#: dimension, and raise `IndexError`.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        position += (i + size if i < 0 else i) * stride
    return position
#: checked_at_the_end
#: you refuse indices that are too large, but none that is too small: below minus the size there is
#: nothing either.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if i >= size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += (i + size if i < 0 else i) * stride
    return position
#: second_offset
#: you count the offset once for each dimension. The walk begins there once.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += layout.offset * (dim > 0) + (i + size if i < 0 else i) * stride
    return position
#: strides_reversed
#: you pair the first index with the last stride. Index `k` moves along dimension `k`.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[-1 - dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += (i + size if i < 0 else i) * stride
    return position
#: shape_as_stride
#: you multiply by sizes instead of strides. The size says how far an index may go, the stride what
#: a step is worth.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += (i + size if i < 0 else i) * size
    return position
#: row_major
#: you compute the position of an array stored row after row. A view walks by its own strides: use
#: those of the layout.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        after = 1
        for other in layout.shape[dim + 1 :]:
            after *= other
        position += (i + size if i < 0 else i) * after
    return position
#: minus_one_more
#: a negative index comes out one too small. Index -1 is size - 1: add the whole size.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(
                f"[index] index {i} is out of bounds for dimension {dim} with size {size}"
            )
        position += (i + size - 1 if i < 0 else i) * stride
    return position
#: another_error
#: you raise another error than `IndexError` for an index that does not exist. Those who call this
#: function wait for that one.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise ValueError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += (i + size if i < 0 else i) * stride
    return position
#: size_allowed
#: an index as large as the size passes. Indices go up to size - 1.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i <= size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += (i + size if i < 0 else i) * stride
    return position
#: begins_anew
#: an index that is too large begins anew at the front: `%` accepts everything. Refuse what is out
#: of range.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        position += (i % size if size else i) * stride
    return position
#: first_refused
#: you refuse the index -size. It is the first element of its dimension, as -len is in a list.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size < i < size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += (i + size if i < 0 else i) * stride
    return position
#: strides_without_sign
#: you dropped the sign of a stride. Along a negative stride the positions fall.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += (i + size if i < 0 else i) * abs(stride)
    return position
#: position_checked
#: you ask whether the position lies in the buffer. An index that is too large for its dimension may
#: lead to another row's element: check each index against its size.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        position += (i + size if i < 0 else i) * stride
    low, high = bounds(layout) or (0, -1)
    if not low <= position <= high:
        raise IndexError(f"[index] position {position} lies outside the layout")
    return position
#: negative_steps_counted_back
#: you add the size where index times stride is negative. It is the index that counts from the back,
#: not the step: a stride may be negative too.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += i * stride if i * stride >= 0 else (i + size) * stride
    return position
#: negative_refused
#: you refuse negative indices. They count from the back, as in Python: -1 is the last element.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not 0 <= i < size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += i * stride
    return position
#: first_size_alone
#: you measure every index by the first dimension's size. Each dimension has its own.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[0], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += (i + size if i < 0 else i) * stride
    return position
#: last_one_checked
#: you check the last index alone. Each index has to fit its own dimension.
    position, size, i = layout.offset, 1, 0
    for i, size, stride in zip(idx, layout.shape, layout.strides, strict=True):
        position += (i + size if i < 0 else i) * stride
    if not -size <= i < size:
        raise IndexError(f"[index] index {i} is out of bounds for a dimension of size {size}")
    return position
#: one_too_far_back
#: a negative index comes out one too large. Index -1 is the last element: add the size and nothing
#: more.
    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        if not -size <= i < size:
            raise IndexError(f"[index] index {i} is out of bounds for dimension {dim}")
        position += (i + size + 1 if i < 0 else i) * stride
    return position
