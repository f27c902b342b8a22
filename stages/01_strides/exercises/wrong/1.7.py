#: always_contiguous | drops: Cut the runs into the sizes of `target`
#: you gave row-major strides, whatever the runs were. That is right for contiguous arrays alone; a
#: transposed one would show its elements in another order.
    return contiguous(target)
#: single_run_only
#: you return `None` as soon as there are several runs. A view exists as long as each new dimension
#: stays inside ONE run.
    if len(runs) > 1:
        return None
    step = runs[0][1] if runs else 1
    strides = []
    for size in reversed(target):
        strides.append(step)
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: from_the_front | drops: from the back
#: you cut from the front and gave the strides in the order of the back. Of a run that is cut, the
#: LAST size keeps its stride.
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
#: straddles | drops: `None` when some dimension would have to begin in one run and end in another
#: a dimension begins in one run and ends in the next. No single stride leads from the one to the
#: other: that is no view.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: never_empty | drops: `runs` may be empty
#: you take a run where there is none. An array of one element has no runs left, and any shape of
#: ones fits it.
    strides = []
    left, step = runs.pop()
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: one_run_a_size
#: you take a new run for every dimension of the target. A run is cut as often as it can be: only
#: when it is used up comes the next.
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
#: step_stays
#: every piece of a run has the run's stride. The piece before it jumps over the whole piece:
#: multiply the step by its size.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
    return Layout(target, tuple(reversed(strides)))
#: order
#: the strides come out in the opposite order. You cut from the last dimension on: turn them
#: around.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(strides))
#: run_kept_whole
#: you forget how much of the run is used up. Divide what is left by each size that you cut off.
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
#: without_sign
#: you dropped the sign of a run's stride. An array that is read backwards stays so in its new
#: shape.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(abs(step))
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: raises
#: you raise an error where there is no view. The caller then copies: return `None`.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            raise RuntimeError("[reshape] no view has this shape")
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: runs_as_they_are
#: you have a view only where each size is a run, or all is one run. A run may be cut into several
#: sizes.
    sizes = tuple(size for size in target if size > 1)
    if len(runs) > 1 and sizes != tuple(size for size, _ in runs):
        return None
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: one_step_of_0
#: you take a stride of 0 for a missing one. A run that repeats one element is cut into dimensions
#: that repeat it: their strides are 0.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step or 1)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step = (step or 1) * size
    return Layout(target, tuple(reversed(strides)))
#: first_run
#: you begin with the first run, and the sizes with the last. Both are taken from the back.
    strides = []
    left, step = runs.pop(0) if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop(0)
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: none_for_no_runs
#: you return `None` where there are no runs. One element is left then, and any shape of ones has a
#: view.
    if not runs:
        return None
    strides = []
    left, step = runs.pop()
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: ones_left_out
#: a size of 1 gets no stride. Each size of the target has one, also where no step is ever taken.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if size == 1:
            continue
        if left == 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step *= size
    return Layout(target, tuple(reversed(strides)))
#: size_added
#: the step grows by the size. A dimension before it jumps over the whole piece: the step is
#: multiplied by the size.
    strides = []
    left, step = runs.pop() if runs else (1, 1)
    for size in reversed(target):
        if left == 1 and size > 1 and runs:
            left, step = runs.pop()
        strides.append(step)
        if left % size:
            return None  # this dimension would straddle two runs
        left //= size
        step += size
    return Layout(target, tuple(reversed(strides)))
