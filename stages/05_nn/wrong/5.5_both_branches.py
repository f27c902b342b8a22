    left = input - autograd.log1p(autograd.exp(input))
    right = -autograd.log1p(autograd.exp(-input))
    return autograd.where(input < 0, left, right)
