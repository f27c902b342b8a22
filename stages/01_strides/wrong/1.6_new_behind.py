    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return tuple(stride if size == wanted else 0 for size, stride, wanted in kept) + (0,) * new
