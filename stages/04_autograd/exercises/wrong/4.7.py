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
#: both calls of `output` see the same point, so that all differences are 0. One nudge goes up, one
#: down; and if you give `variable` another value, `output(x)` no longer finds the input that it
#: names.
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
#: first_argument
#: you nudge the first argument. The input that is asked for is `variable`, which may be another.
    columns = []
    first = arguments[0]
    for place in _positions(first.array.shape):
        above = output(_nudge(first, place, eps))
        below = output(_nudge(first, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: called_yourself
#: you call the function with one argument. It may have several: `output(x)` puts x in the place of
#: the input that is asked for, and hands in the others.
    columns = []
    for place in _positions(variable.array.shape):
        above = reshape(detach(_floats(func(_nudge(variable, place, eps)))[0]), -1).tolist()
        below = reshape(detach(_floats(func(_nudge(variable, place, -eps)))[0]), -1).tolist()
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: again_for_each_output
#: you call the function again for each entry of the output. One nudge moves all of them: two calls
#: for each entry of the input are enough.
    places = _positions(variable.array.shape)
    count = len(output(variable))
    return [
        [(output(_nudge(variable, p, eps))[i] - output(_nudge(variable, p, -eps))[i]) / (2 * eps) for p in places]
        for i in range(count)
    ]
#: first_dimension
#: you take the first dimension for all places. An input may have more dimensions, or none:
#: `_positions` lists every place.
    columns = []
    for k in range(variable.array.shape[0]):
        above = output(_nudge(variable, (k,), eps))
        below = output(_nudge(variable, (k,), -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: one_sided_below
#: you compare f(x) with f(x - eps). That error is of the size of eps; from both sides it is of the
#: size of eps squared.
    columns = []
    here = output(variable)
    for place in _positions(variable.array.shape):
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / eps for a, b in zip(here, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: half_the_step
#: you step by half of eps. The formula steps by eps, up and down.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps / 2))
        below = output(_nudge(variable, place, -eps / 2))
        columns.append([(a - b) / eps for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: nudged_back
#: you nudge down what you have nudged up, and so come back to x. Both nudges begin at the input:
#: one up, one down.
    columns = []
    for place in _positions(variable.array.shape):
        up = _nudge(variable, place, eps)
        above = output(up)
        below = output(_nudge(up, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: one_output
#: you expect one entry of the output. It may have many, or none: a column holds one number for
#: each.
    row = []
    for place in _positions(variable.array.shape):
        (above,) = output(_nudge(variable, place, eps))
        (below,) = output(_nudge(variable, place, -eps))
        row.append((above - below) / (2 * eps))
    return [row]
#: four_points
#: you use a formula of four points. It is closer to the derivative, and not what was asked: central
#: differences, from two.
    columns = []
    for place in _positions(variable.array.shape):
        a, b, c, d = (output(_nudge(variable, place, k * eps)) for k in (2, 1, -1, -2))
        columns.append([(-p + 8 * q - 8 * r + s) / (12 * eps) for p, q, r, s in zip(a, b, c, d)])
    return [list(row) for row in zip(*columns, strict=True)]
#: rounded
#: you round the numbers. They are compared with those of a backward pass, and what is cut off
#: counts there.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([round((a - b) / (2 * eps), 6) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: whole_division
#: you cut off what is behind the point, by `//` or by `int`. A derivative is any number: `/`.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) // (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: square_table
#: you make as many rows as the input has entries. There is a row for each entry of the OUTPUT.
    n = variable.array.numel
    rows = [[0.0] * n for _ in range(n)]
    for k, place in enumerate(_positions(variable.array.shape)):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        for i, (a, b) in enumerate(zip(above, below)):
            rows[i][k] = (a - b) / (2 * eps)
    return rows
#: one_row_many_times
#: your rows are one and the same list: `[row] * n` holds it n times. Make a new list for each.
    count = len(output(variable))
    rows = [[0.0] * variable.array.numel] * count
    for k, place in enumerate(_positions(variable.array.shape)):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        for i, (a, b) in enumerate(zip(above, below)):
            rows[i][k] = (a - b) / (2 * eps)
    return rows
#: own_step
#: you divide by another distance than the one you went. It is 2 eps, with the `eps` that you were
#: given.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * 1e-6) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: places_turned
#: the places come in the opposite order. The numbers of a row stand in the order of the input's
#: entries.
    columns = []
    for place in reversed(_positions(variable.array.shape)):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: from_here_on
#: you compare f(x + 2 eps) with f(x). That is one-sided: the error is of the size of eps, where f(x
#: + eps) - f(x - eps) has eps squared.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, 2 * eps))
        below = output(variable)
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: absolute
#: you take the difference without its sign. A function may fall: then its derivative is negative.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([abs(a - b) / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: cut_to_a_square
#: you return at most as many rows as the input has entries. There is a row for each entry of the
#: OUTPUT.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([0.0 if a == b else (a - b) / (2 * eps) for a, b in zip(above, below)])
    return list(map(list, zip(*columns)))[:len(columns)]
#: generators
#: your rows or columns are generators, which hand out values only when they are asked. A list is
#: wanted: square brackets.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append((a - b) / (2 * eps) for a, b in zip(above, below, strict=True))
    return columns
#: not_divided
#: you forgot to divide by the distance. A derivative is a difference over a distance: 2 eps.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([a - b for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: row_for_each_input
#: you have a row for each entry of the input, with the first entry of the output alone. There is a
#: row for each entry of the OUTPUT.
    rows = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        rows.append([(above[0] - below[0]) / (2 * eps)])
    return rows
#: sum_for_difference
#: you add f(x + eps) and f(x - eps). A derivative asks how much they differ.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a + b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: returns_in_the_loop
#: you return inside the loop, after the first entry of the input. Return when all have been nudged.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
        return [list(row) for row in zip(*columns, strict=True)]
#: eps_squared
#: you divide by eps squared. The distance from x - eps to x + eps is 2 eps.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / eps ** 2 for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: one_place_alone
#: you put the nudged copy into one place of the arguments. The same input may be given twice:
#: `output(x)` puts it into each.
    k = next(i for i, a in enumerate(arguments) if a is variable)
    def value(by, place):
        new = list(arguments)
        new[k] = _nudge(variable, place, by)
        return reshape(detach(_floats(func(*new))[number]), -1).array.tolist()
    columns = []
    for place in _positions(variable.array.shape):
        columns.append([(a - b) / (2 * eps) for a, b in zip(value(eps, place), value(-eps, place))])
    return [list(row) for row in zip(*columns)]
#: tiny_is_nothing
#: you take a tiny difference for none. A function may follow its input weakly: divide, whatever the
#: difference is.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        pairs = zip(above, below, strict=True)
        columns.append([(a - b) / (2 * eps) if abs(a - b) > 1e-12 else 0.0 for a, b in pairs])
    return [list(row) for row in zip(*columns, strict=True)]
#: clipped
#: you cut large derivatives down. A function may be steep: a derivative is any number.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        slopes = [(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)]
        columns.append([max(-100.0, min(100.0, slope)) for slope in slopes])
    return [list(row) for row in zip(*columns, strict=True)]
#: divided_by_two
#: you divide by 2. The distance from x - eps to x + eps is 2 EPS.
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / 2 for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: some_places
#: you nudge only some of the places. Each entry of the input has its number in every row.
    columns = []
    for place in _positions(variable.array.shape)[:4]:
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
#: nudged_already
#: you nudge what was nudged before. Every nudge begins at the input: all other entries stay where
#: they are.
    columns = []
    moved = variable
    for place in _positions(variable.array.shape):
        moved = _nudge(moved, place, eps)
        above = output(moved)
        below = output(_nudge(moved, place, -2 * eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: brackets_missing
#: you divide f(x - eps) alone. `a - b / c` divides before it subtracts: the difference needs
#: brackets.
    columns = []
    for place in _positions(variable.array.shape):
        above, below = (output(_nudge(variable, place, by)) for by in (eps, -eps))
        columns.append([a - b / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: step_of_its_size
#: you step by more, or less, where an entry is larger or smaller. The formula steps by `eps`,
#: whatever the entry is.
    columns = []
    flat = reshape(detach(variable), -1).array.tolist()
    for x, place in zip(flat, _positions(variable.array.shape)):
        by = eps * (abs(x) or 1)
        above, below = output(_nudge(variable, place, by)), output(_nudge(variable, place, -by))
        columns.append([(a - b) / (2 * by) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: step_of_your_own
#: you step by a number of your own. `eps` is given.
    h = 1e-6
    columns = []
    for place in _positions(variable.array.shape):
        above, below = (output(_nudge(variable, place, by)) for by in (h, -h))
        columns.append([(a - b) / (2 * h) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: input_not_put_back
#: you write into the input, and it does not come back to where it was. `_nudge` makes a copy: the
#: input stays as it is.
    columns = []
    for place in _positions(variable.array.shape):
        old = float(detach(variable)[place])
        sides = []
        for by in (eps, -eps):
            detach(variable)[place] = old + by
            sides.append(output(variable))
        columns.append([(a - b) / (2 * eps) for a, b in zip(*sides)])
    return [list(row) for row in zip(*columns)]
#: places_of_the_output
#: you go through the places of the output. It is the input that is nudged: `_positions` lists its
#: places.
    columns = []
    for j in range(len(output(variable))):
        above, below = output(_nudge(variable, (j,), eps)), output(_nudge(variable, (j,), -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: above_stays
#: you work out f(x + eps) once. It is another one for each entry that is nudged.
    columns, above = [], None
    for place in _positions(variable.array.shape):
        above = above or output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: ratio
#: you divide by values of the function. The difference is divided by the distance: 2 eps.
    columns = []
    for place in _positions(variable.array.shape):
        above, below = output(_nudge(variable, place, eps)), output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (a + b) if a + b else 0.0 for a, b in zip(above, below)])
    return [list(row) for row in zip(*columns)]
#: square_of_the_input
#: you make as many rows as the input has entries. There is a row for each entry of the OUTPUT.
    places = list(_positions(variable.array.shape))
    n = len(places)
    table = [[0.0] * n for _ in range(n)]
    for i, place in enumerate(places):
        above, below = (output(_nudge(variable, place, by)) for by in (eps, -eps))
        for j in range(n):
            table[j][i] = (above[j] - below[j]) / (2 * eps)
    return table
#: moved_together
#: you moved all entries of the input at once. Then nobody knows whose doing it was: move one, and
#: leave the others where they are.
    places = list(_positions(variable.array.shape))
    up = down = variable
    for place in places:
        up, down = _nudge(up, place, eps), _nudge(down, place, -eps)
    above, below = output(up), output(down)
    return [[(a - b) / (2 * eps)] * len(places) for a, b in zip(above, below)]
