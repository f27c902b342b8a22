    return 0 in shape or not shape or shape[-1] == 1 or strides[-1] == 1
