    return [1] * len(gradients)
