#: from_the_front
#: it cuts from the first size on: what is left of a run behind a size is how far that size steps,
#: in the run's stride. Nothing is turned around at the end, and the list of runs stays as it was.
    rest = iter(runs)
    left, step = next(rest, (1, 1))
    strides = []
    for size in target:
        if left == 1 and size > 1:
            left, step = next(rest, (1, 1))
        if left % size:
            return None
        left //= size
        strides.append(left * step)
    return Layout(target, tuple(strides))
