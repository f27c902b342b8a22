    unbiased = var * (count / (count - 1))
    if running_mean is None:
        return
    running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
    if running_var is not None:
        running_var.mul_(1 - momentum).add_(unbiased, alpha=momentum)
