    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudged(variable, place, eps))[0]
        below = output(_nudged(variable, place, -eps))[0]
        columns.append((above - below) / (2 * eps))
    return [columns]
