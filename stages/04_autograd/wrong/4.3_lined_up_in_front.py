    dims = tuple(k for k in range(len(shape)) if k >= len(wanted) or wanted[k] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
