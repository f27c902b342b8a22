#: one_dimension_at_a_time
#: the dimensions are summed one after the other, each kept with size 1, so that the numbers of the
#: others stay true. No list of dimensions is made; but each step makes an array of its own and goes
#: through memory once more, and in half precision each step rounds.
    extra = len(shape) - len(wanted)
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            array = array.ops.sum(array, (k,), True)
    return array.view(strides.contiguous(wanted))
