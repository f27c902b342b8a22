    total = x.new_full((1,), x.numel() // x.shape[1])
    all_reduce(total, group=group)
    mean = x.sum(others)
    all_reduce(mean, group=group)
    mean = mean / total
    centred = x - mean.reshape(along_channels(x))
    squares = (centred * centred).sum(others)
    all_reduce(squares, group=group)
    return mean, squares / total, total
