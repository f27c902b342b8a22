    unbiased = var * (count / (count - 1))
    if running_mean is not None and running_var is not None:
        running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
        running_var.mul_(1 - momentum).add_(unbiased, alpha=momentum)
