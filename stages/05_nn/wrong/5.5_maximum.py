    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return autograd.where(negative, 0.0, input) - rest
