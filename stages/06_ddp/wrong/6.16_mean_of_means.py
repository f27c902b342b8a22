    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = SumOverRanks.apply(x.mean(others), group) / get_world_size(group)
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
