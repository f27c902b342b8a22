#: swapped_parts | drops: `momentum` parts of what it was, `momentum` parts of the new
#: you exchanged the parts. PyTorch's momentum, 0.1 by default, is the share of the new batch.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(momentum).add_(now.to(running.dtype), alpha=1 - momentum)
#: biased | drops: divided by `count` - 1
#: you take the batch's variance as it is. The running one is unbiased: divided by count - 1.
    unbiased = var
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: other_way
#: you correct the wrong way round: the unbiased variance is the larger one.
    unbiased = var * ((count - 1) / count)
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: divided_again
#: you divide by count - 1 what was divided by count already. Multiply by count first.
    unbiased = var / (count - 1)
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: mean_too
#: you correct the mean as well. Only the variance has lost a degree of freedom, to the mean.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean * (count / (count - 1))), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: new_tensors | drops: in place
#: you make new tensors and give them the old names. The module keeps the old ones: change them in
#: place.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running = running * (1 - momentum) + now * momentum
#: none_fails | drops: may be None
#: you do not ask whether a running statistic is there. It may be None.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: replaced
#: you put the new statistics in the place of the old ones. They move towards them, by `momentum`.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.copy_(now)
#: added
#: you add the new part and keep all of the old. The statistics then grow for ever.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.add_(now.to(running.dtype), alpha=momentum)
#: shrinks
#: you take a share of the new without `momentum`: all of it is added.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype))
#: mean_alone | drops: Each of the two moves
#: you move the mean alone. The variance is needed for evaluation too.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean),):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: variance_to_mean
#: you move the variance towards the mean.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, mean * (count / (count - 1)))):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: deviation
#: you keep the standard deviation. It is the variance that is kept; the root is taken when it is
#: used.
    unbiased = (var * (count / (count - 1))).sqrt()
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: batch_changed | drops: stay as they are
#: you correct the batch's own variance in place. The way back still needs it as it was.
    unbiased = var.mul_(count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: needs_the_mean
#: you stop where there is no running mean, and the variance does not move. Each of the two may be
#: None without the other.
    unbiased = var * (count / (count - 1))
    if running_mean is None:
        return
    running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
    if running_var is not None:
        running_var.mul_(1 - momentum).add_(unbiased, alpha=momentum)
#: both_or_none
#: you move both or none. Each of the two may be None without the other, which moves all the same.
    unbiased = var * (count / (count - 1))
    if running_mean is not None and running_var is not None:
        running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
        running_var.mul_(1 - momentum).add_(unbiased, alpha=momentum)
#: all_corrected
#: you correct the running variance after the update. What it was is unbiased already: only the
#: batch's variance is corrected, before it is added.
    if running_mean is not None:
        running_mean.mul_(1 - momentum).add_(mean * momentum)
    if running_var is not None:
        running_var.mul_(1 - momentum).add_(var * momentum).mul_(count / (count - 1))
#: whole_division
#: you divide whole numbers with `//`: of 4 and 3 it makes 1, and nothing is corrected. `/` keeps
#: the fraction.
    unbiased = var * (count // (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: single_precision
#: you reckon in float32. Running statistics in double precision lose half of their digits.
    unbiased = var.float() * (count / (count - 1))
    for running, now in ((running_mean, mean.float()), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: dtype_of_the_batch
#: your running statistics take the dtype of the batch. They keep their own: a batch may be in half
#: precision and they in float32.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.data = running * (1 - momentum) + now * momentum
#: rows_copied
#: you move a copy where the numbers do not lie one behind the other: `reshape` copies then. Move
#: the statistics themselves.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            flat = running.contiguous()
            flat.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: no_momentum_of_0
#: you take a momentum of 0 for none at all, and replace the statistics. With 0 they stay as they
#: are.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            share = momentum or 1.0
            running.mul_(1 - share).add_(now.to(running.dtype), alpha=share)
#: shares_added
#: what was counts 1 + momentum. It keeps 1 - momentum parts.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 + momentum).add_(now.to(running.dtype), alpha=momentum)
#: old_share_is_momentum
#: what was counts momentum, as the new does. It keeps 1 - momentum parts.
    unbiased = var * (count / (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(momentum).add_(now.to(running.dtype), alpha=momentum)
#: times_the_sum_of_squares
#: you multiply by count - 1 as well. Of var · count, which is the sum of squares, a quotient by
#: count - 1 is taken.
    unbiased = var * (count * (count - 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: times_count
#: you make a sum of squares of the variance and do not divide it by count - 1.
    unbiased = var * count
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: count_plus_one
#: you divide by count + 1. The unbiased variance is the larger one: count - 1.
    unbiased = var * (count / (count + 1))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
#: count_minus_two
#: you divide by count - 2. One degree of freedom is lost, to the mean: count - 1.
    unbiased = var * (count / (count - 2))
    for running, now in ((running_mean, mean), (running_var, unbiased)):
        if running is not None:
            running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)
