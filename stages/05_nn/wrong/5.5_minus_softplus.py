    return -autograd.log1p(autograd.exp(-input))
