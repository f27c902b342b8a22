    if not set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.zero_()
