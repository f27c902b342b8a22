    if len(runs) > 1:
        return None
    step = runs[0][1] if runs else 1
    strides = []
    for size in reversed(target):
        strides.append(step)
        step *= size
    return Layout(target, tuple(reversed(strides)))
