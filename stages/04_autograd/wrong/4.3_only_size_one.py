    extra = len(shape) - len(wanted)
    dims = tuple(k + extra for k, size in enumerate(wanted) if size == 1)
    if not dims:
        return array.view(strides.contiguous(wanted))
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
