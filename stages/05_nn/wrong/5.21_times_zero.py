    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.mul_(0)
