    return input - autograd.log1p(autograd.exp(input))
