    scale = input.new_empty(shape).bernoulli_(1 - p)
