    extra = len(shape) - len(wanted)
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            array = array.view(strides.narrow(array.layout, k, 0, 1))
    return array.ops.clone(array).view(strides.contiguous(wanted))
