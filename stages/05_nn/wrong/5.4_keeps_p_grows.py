    keep = input.new_empty(shape).bernoulli_(p)
    scale = keep / (1 - p) if p < 1 else keep
