    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        tensor.zero_()
