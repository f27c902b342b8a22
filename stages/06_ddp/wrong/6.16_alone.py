    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = cat([x.sum(others), count])
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = (centred * centred).sum(others)
    return mean, squares / total, total
