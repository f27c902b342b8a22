#: two_tables
#: all results above and all results below are tables of their own, turned first and subtracted
#: afterwards. What is nudged and what is computed stand apart; but both tables are in memory at
#: once, twice what the loop keeps.
    places = _positions(variable.array.shape)
    above = zip(*(output(_nudge(variable, place, eps)) for place in places), strict=True)
    below = zip(*(output(_nudge(variable, place, -eps)) for place in places), strict=True)
    return [
        [(a - b) / (2 * eps) for a, b in zip(*rows, strict=True)]
        for rows in zip(above, below, strict=True)
    ]
