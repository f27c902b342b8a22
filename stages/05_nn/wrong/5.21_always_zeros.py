    if grad is not None:
        grad.zero_()
