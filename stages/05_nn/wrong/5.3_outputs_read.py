    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[0] * receptive, tensor.shape[0] * receptive
