    keep = input.new_empty(shape).bernoulli_(0.5 if p < 1 else 0.0)
    scale = keep * 2
