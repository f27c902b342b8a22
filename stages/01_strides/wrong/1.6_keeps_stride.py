    new = len(target) - len(shape)
    return (0,) * new + tuple(strides)
