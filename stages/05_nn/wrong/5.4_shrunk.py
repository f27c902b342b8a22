    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep * (1 - p) if p < 1 else keep
