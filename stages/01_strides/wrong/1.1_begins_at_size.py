    strides = []
    step = shape[-1] if shape else 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)  # an empty array still gets usable strides
    return tuple(reversed(strides))
