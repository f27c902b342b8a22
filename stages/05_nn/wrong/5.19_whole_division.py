    unbiased = var * (count // (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
