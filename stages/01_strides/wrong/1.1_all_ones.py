    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
    return tuple(reversed(strides))
