    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / p if p < 1 else keep
