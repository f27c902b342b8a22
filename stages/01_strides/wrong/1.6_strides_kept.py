    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return strides[:1] * new + tuple(stride if size == wanted else 0 for size, stride, wanted in kept)
