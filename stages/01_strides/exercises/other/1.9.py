#: sum_of_the_ways
#: start and strides are computed apart, each in one expression, so that no round can forget
#: another. `k in named` searches a short tuple for each dimension.
    named = normalize_dims(dims, len(shape), "flip")
    start = sum((shape[dim] - 1) * strides[dim] for dim in named if shape[dim])
    turned = (-stride if k in named else stride for k, stride in enumerate(strides))
    return Layout(shape, tuple(turned), start)
