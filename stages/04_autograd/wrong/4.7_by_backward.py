    result = _floats(func(*arguments))[number]
    return _analytic(result, [variable])[0]
