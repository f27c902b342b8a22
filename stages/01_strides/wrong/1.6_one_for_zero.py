    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(stride if size == wanted else 1 for size, stride, wanted in kept)
