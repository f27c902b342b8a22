    steps = [stride for size, stride in zip(shape, strides, strict=True) if size > 1]
    return 0 in shape or (steps == sorted(steps, reverse=True) and steps[-1:] in ([], [1]))
