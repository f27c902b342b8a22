    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    squares = SumOverRanks.apply((x * x).sum(others), group)
    return mean, squares / total - mean * mean, total
