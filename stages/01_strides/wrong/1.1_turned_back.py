    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)  # an empty array still gets usable strides
    return tuple(strides)
