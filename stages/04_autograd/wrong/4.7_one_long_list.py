    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudged(variable, place, eps))
        below = output(_nudged(variable, place, -eps))
        columns.extend([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return columns
