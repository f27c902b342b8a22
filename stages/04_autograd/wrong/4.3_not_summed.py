    return array.view(strides.contiguous(wanted))
