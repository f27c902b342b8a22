    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.mean(array, dims, True).view(strides.contiguous(wanted))
