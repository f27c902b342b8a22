    if set_to_none:
        tensor.grad = None
    else:
        grad.zero_()
