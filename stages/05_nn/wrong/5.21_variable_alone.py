    if set_to_none:
        grad = None
    elif grad is not None:
        grad.zero_()
