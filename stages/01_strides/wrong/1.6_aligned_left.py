    padded = (*shape, *(1,) * (len(target) - len(shape)))
    kept = (*strides, *(0,) * (len(target) - len(shape)))
    return tuple(stride if size == wanted else 0 for size, stride, wanted in zip(padded, kept, target))
