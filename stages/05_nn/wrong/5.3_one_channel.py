    receptive = math.prod(tensor.shape[2:])
    return (receptive if tensor.ndim > 2 else tensor.shape[1]), tensor.shape[0] * receptive
