    return -autograd.log1p(autograd.exp((-input).clamp(max=80.0)))
