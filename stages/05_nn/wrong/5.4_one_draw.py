    keep = input.new_empty((1,) * len(shape)).bernoulli_(1 - p).expand(shape)
    scale = keep / (1 - p) if p < 1 else keep
