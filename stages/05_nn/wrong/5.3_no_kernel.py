    return tensor.shape[1], tensor.shape[0]
