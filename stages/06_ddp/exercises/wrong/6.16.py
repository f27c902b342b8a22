#: given
    size = get_world_size(group)
    mean = SumOverRanks.apply(x.mean(others), group) / size
    centred = x - mean.reshape(along_channels(x))
    variance = SumOverRanks.apply((centred * centred).mean(others), group) / size
    return mean, variance, x.new_full((1,), size * (x.numel() // x.shape[1]))
#: own_count | drops: with its own N on every rank
#: you take this rank's count, times the number of ranks, for the count of all. The other ranks may
#: have other counts: it has to travel.
    total = x.new_full((1,), get_world_size(group) * (x.numel() // x.shape[1]))
    mean = SumOverRanks.apply(x.sum(others), group) / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: mean_of_means | drops: the mean of all ranks' numbers
#: the mean is still one of means, each of which counts alike, however many numbers it is of.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = SumOverRanks.apply(x.mean(others), group) / get_world_size(group)
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: mean_of_variances | drops: their variance
#: the mean is right, and the variance is still a mean over ranks, each of which counts alike.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).mean(others), group)
    return mean, squares / get_world_size(group), total
#: around_own_mean
#: you take the squares around this rank's own mean. How far the ranks' means are apart belongs to
#: the variance too.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - x.mean(others).reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: difference | drops: the mean of the squares of x minus that mean
#: you subtract the square of the mean from the mean of the squares. Around 1000 both are a
#: million, and their difference has lost most digits.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    squares = SumOverRanks.apply((x * x).sum(others), group)
    return mean, squares / total - mean * mean, total
#: count_of_this_rank | drops: how many numbers there are
#: you return this rank's count. The running variance needs that of all: it divides by one less.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, count
#: images_counted | drops: all its dimensions but that of the channels
#: you count images. A channel has as many numbers as there are images, times positions.
    count = x.new_full((1,), x.shape[0])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: not_recorded | drops: gradients on their way back
#: the sum of the squares carries no gradient: what the variance asks of x is lost.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others).detach(), group)
    return mean, squares / total, total
#: mean_not_recorded
#: the mean carries no gradient: what it asks of x is lost.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1].detach() / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: alone
#: nothing is added up: these are the statistics of this rank's numbers alone.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = cat([x.sum(others), count])
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = (centred * centred).sum(others)
    return mean, squares / total, total
#: unbiased
#: you divide by one less than the count. Here it is the mean of the squares; the running variance
#: is made of it afterwards.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / (total - 1), total
#: plain_all_reduce
#: you add up with `all_reduce`, which autograd does not see: the gradients of the other ranks
#: never arrive here. `SumOverRanks.apply` adds them up too.
    total = x.new_full((1,), x.numel() // x.shape[1])
    all_reduce(total, group=group)
    mean = x.sum(others)
    all_reduce(mean, group=group)
    mean = mean / total
    centred = x - mean.reshape(along_channels(x))
    squares = (centred * centred).sum(others)
    all_reduce(squares, group=group)
    return mean, squares / total, total
#: all_channels_counted
#: you count the numbers of all channels. Each channel has a mean of its own, of its own numbers.
    count = x.new_full((1,), x.numel())
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: mean_of_nothing
#: you take the mean of this rank's numbers, and a rank may have none: 0 / 0 is nan, and times 0 it
#: stays nan. Add up sums, and divide once, by the count of all.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.mean(others) * count, count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: empty_stays_out
#: a rank without images makes no call, and the others wait for it. It has zeros to add.
    if x.shape[0] == 0:
        return x.new_zeros(x.shape[1]), x.new_zeros(x.shape[1]), x.new_full((1,), 1)
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: one_at_least
#: you count one number where a rank has none. It adds 0 to the count.
    count = x.new_full((1,), max(x.numel() // x.shape[1], 1))
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: one_dimension_of_places
#: you count the places of one dimension. There may be more behind the channels, as height and
#: width: all of them multiply.
    places = x.shape[2] if x.ndim > 2 else 1
    count = x.new_full((1,), x.shape[0] * places)
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: all_ranks
#: you leave the group out, so all ranks of the job add up, also those of other groups.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), None)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), None)
    return mean, squares / total, total
#: single_precision
#: you reckon in float32. Numbers in double precision lose half of their digits.
    x = x.float()
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
#: both_of_means
#: the count is right, and the mean and the variance are still means over ranks, each of which
#: counts alike.
    ranks = get_world_size(group)
    count = x.new_full((1,), x.numel() // x.shape[1])
    mean = SumOverRanks.apply(x.mean(others), group) / ranks
    centred = x - mean.reshape(along_channels(x))
    variance = SumOverRanks.apply((centred * centred).mean(others), group) / ranks
    return mean, variance, SumOverRanks.apply(count, group)[0].detach()
#: standard_deviation
#: you return the root of the variance.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, (squares / total).sqrt(), total
#: squares_of_this_rank
#: the squares are those of this rank alone. They are added up over the ranks too.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    return mean, (centred * centred).sum(others) / total, total
#: absolute_values
#: you take the sizes of the differences. The variance is the mean of their squares.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply(centred.abs().sum(others), group)
    return mean, squares / total, total
#: own_variances
#: you add up variances around this rank's own mean. How far the ranks' means are apart belongs to
#: the variance too.
    n = x.numel() // x.shape[1]
    count = x.new_full((1,), n)
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    own = x.sum(others) / max(n, 1)
    var = (x * x).sum(others) - n * own * own
    return mean, SumOverRanks.apply(var, group) / total, total
#: exchanged
#: you return the variance first. The mean comes first.
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return squares / total, mean, total
