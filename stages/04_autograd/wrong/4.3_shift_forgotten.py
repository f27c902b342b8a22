    extra = len(shape) - len(wanted)
    shorter = (k for k in range(len(wanted)) if wanted[k] != shape[k + extra])
    dims = tuple({*range(extra), *shorter})
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
