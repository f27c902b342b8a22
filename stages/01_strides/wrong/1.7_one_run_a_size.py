    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if runs and strides:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
