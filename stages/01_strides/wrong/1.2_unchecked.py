    position = layout.offset
    for dim, i in enumerate(idx):
        size, stride = layout.shape[dim], layout.strides[dim]
        position += (i + size if i < 0 else i) * stride
    return position
