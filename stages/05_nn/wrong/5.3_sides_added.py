    receptive = (sum(tensor.shape[2:]) or 1)
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive
