    total = x.new_full((1,), get_world_size(group) * (x.numel() // x.shape[1]))
    mean = SumOverRanks.apply(x.sum(others), group) / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
