    strides = []
    for size in target:
        if not runs:
            strides.append(1)
            continue
        left, step = runs[0]
        if left % size:
            return None
        strides.append(step * left // size)
        runs[0] = (left // size, step)
        if left == size:
            runs.pop(0)
    return Layout(target, tuple(strides[::-1]))
