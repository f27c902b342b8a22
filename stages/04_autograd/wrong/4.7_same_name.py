    columns = []
    for place in _positions(variable.array.shape):
        variable = _nudged(variable, place, eps)
        above = output(variable)
        variable = _nudged(variable, place, -2 * eps)
        below = output(variable)
        variable = _nudged(variable, place, eps)
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
