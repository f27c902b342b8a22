    extra = len(shape) - len(wanted)
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            array = array.ops.sum(array, (k,), False)
    return array.view(strides.contiguous(wanted))
