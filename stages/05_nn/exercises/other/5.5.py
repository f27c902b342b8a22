#: minimum_and_abs
#: the formula as it is written on paper: min(x, 0) - log(1 + exp(-|x|)). It is shorter and as
#: exact; its slope at 0 is right only because `minimum` shares the gradient between two equal
#: numbers, which the version with `where` need not know.
    smaller = autograd.minimum(input, autograd.zeros_like(input))
    return smaller - autograd.log1p(autograd.exp(-autograd.abs(input)))
