    negative = input > 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, -input, input)))
    return autograd.where(negative, -input, 0.0) - rest
