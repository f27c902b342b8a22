    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) ** 0.5 if p < 1 else keep
