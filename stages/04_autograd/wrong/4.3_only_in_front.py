    extra = len(shape) - len(wanted)
    if not extra:
        return array.view(strides.contiguous(wanted))
    return array.ops.sum(array, tuple(range(extra)), True).view(strides.contiguous(wanted))
