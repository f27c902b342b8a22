    scale = input.new_empty(shape).bernoulli_(p) / p
