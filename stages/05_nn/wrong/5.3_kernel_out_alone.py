    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1], tensor.shape[0] * receptive
