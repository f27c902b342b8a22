    if set_to_none:
        tensor.grad = None
    elif grad is None:
        tensor.grad = tensor.new_zeros(tensor.shape)
    else:
        grad.zero_()
