    return autograd.where(input < 0, input, 0.0)
