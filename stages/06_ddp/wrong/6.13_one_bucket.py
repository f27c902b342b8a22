    return [len(gradients)] if gradients else []
