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
