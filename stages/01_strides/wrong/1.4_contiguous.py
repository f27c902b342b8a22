    normalize_dims(dims, ndim, "permute")
    sizes = [shape[normalize_dim(dim, ndim, "permute")] for dim in dims]
    steps = [1]
    for size in reversed(sizes[1:]):
        steps.append(steps[-1] * size)
    return Layout(tuple(sizes), tuple(reversed(steps))[-ndim:] if ndim else ())
