    extra = len(shape) - len(wanted)
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            input = input.narrow(k, 0, 1)
    return input.reshape(wanted)
