#: lerp
#: `lerp_` is this very move, from what it was towards the new by a share of `momentum`, in one
#: operation. Shorter; whoever does not know the name must look it up, and the last digits may
#: differ.
    if running_mean is not None:
        running_mean.lerp_(mean.to(running_mean.dtype), momentum)
    if running_var is not None:
        unbiased = var * count / (count - 1)
        running_var.lerp_(unbiased.to(running_var.dtype), momentum)
