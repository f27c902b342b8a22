    return autograd.log(autograd.sigmoid(input))
