    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudged(variable, place, eps))
        below = output(_nudged(variable, place, -eps))
        columns.append([(b - a) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
