    places = math.prod(tensor.shape[2:])
    return tensor.shape[0] * places, tensor.shape[1] * places
