#: one_sided | drops: the derivative by central differences
#: you compare f(x + eps) with f(x). That error is of the size of eps; from both sides it is of the
#: size of eps squared.
    here = output(variable)
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        columns.append([(a - b) / eps for a, b in zip(above, here, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: one_step | drops: (f(x + eps) - f(x - eps)) / (2 eps)
#: your numbers are twice too large. From x - eps to x + eps the distance is 2 eps.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / eps for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: turned | drops: one list for each entry of the OUTPUT
#: your rows belong to the inputs. Each row must belong to one entry of the output: turn the table.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return columns
#: by_backward | drops: with no backward involved
#: you asked backward. Then the check compares backward with itself, and finds every derivative
#: right: call the function alone.
    result = _floats(func(*arguments))[number]
    return _analytic(result, [variable])[0]
#: all_at_once | drops: with one number for each entry of the input
#: you moved all entries of the input at once. Then nobody knows whose doing it was: move one, and
#: leave the others where they are.
    above = below = variable
    for place in _positions(variable.array.shape):
        above, below = _nudge(above, place, eps), _nudge(below, place, -eps)
    pairs = zip(output(above), output(below), strict=True)
    return [[(a - b) / (2 * eps)] for a, b in pairs]
#: precedence
#: you divided by 2 and multiplied by eps. `/ 2 * eps` is read from left to right: the whole
#: distance needs brackets.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / 2 * eps for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: upside_down
#: every sign is turned. The difference is f(x + eps) minus f(x - eps).
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(b - a) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: same_name
#: you gave `variable` another value. `output(x)` puts x in the place of the input that `variable`
#: names, and finds it no more: give the copy a name of its own.
    columns = []
    for place in _positions(variable.array.shape):
        variable = _nudge(variable, place, eps)
        above = output(variable)
        variable = _nudge(variable, place, -2 * eps)
        below = output(variable)
        variable = _nudge(variable, place, eps)
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: one_long_list
#: all your numbers stand in one list. Each entry of the output has a list of its own.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.extend([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return columns
#: first_output
#: you looked at the first entry of the output alone. One nudge moves every entry of it, and each
#: is wanted.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))[0]
        below = output(_nudge(variable, place, -eps))[0]
        columns.append((above - below) / (2 * eps))
    return [columns]
