    unbiased = var * ((count - 1) / count)
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
