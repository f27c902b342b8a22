    position = 0
    for i, size, stride in zip(idx, layout.shape, layout.strides):
        if not -size <= i < size:
            raise IndexError("out of range")
        position += (i % size) * stride
    return position
