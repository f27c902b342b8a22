    found, step = [], 1
    for size in reversed(target):
        found.append(step)
        step *= size
    return tuple(reversed(found))
