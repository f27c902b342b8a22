    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        step *= size
    return Layout(target, tuple(reversed(strides)))
