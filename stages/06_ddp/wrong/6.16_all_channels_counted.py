    count = x.new_full((1,), x.numel())
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
