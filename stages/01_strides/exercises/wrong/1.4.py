#: inverse | drops: dimension `k` is dimension `dims[k]`
#: you sent dimension `k` TO place `dims[k]`. It is the other way round: place `k` takes dimension
#: `dims[k]`. For two dimensions both are the same, for three they are not.
    normalize_dims(dims, ndim, "permute")
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    places = [order.index(k) for k in range(ndim)]
    return Layout(tuple(shape[k] for k in places), tuple(strides[k] for k in places))
#: shape_only | drops: the layout
#: you reordered the sizes and left the strides in their old order. That is a reshape of the same
#: walk; a permutation takes the strides along.
    normalize_dims(dims, ndim, "permute")
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(tuple(shape[k] for k in order), strides)
#: from_the_front | drops: Negative dims count from the back
#: you dropped the sign of a negative dim. -1 is the last dimension, not dimension 1.
    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = [abs(dim) for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
#: unchecked | drops: A dimension named twice is an error
#: one dimension can stand at two places, and another is lost. `normalize_dims` refuses that.
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
#: strides_only
#: you reordered the strides and left the sizes. Both belong to a dimension, and go with it.
    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(shape, tuple(strides[k] for k in order))
#: swapped_ends
#: you exchange the first dimension and the last, whatever is asked for. `dims` names the order of
#: all of them.
    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    order = [order[-1], *order[1:-1], order[0]] if len(order) > 1 else order
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
#: contiguous
#: the new shape gets row-major strides. That would be a copy: a view keeps each dimension's own
#: stride.
    normalize_dims(dims, ndim, "permute")
    sizes = [shape[normalize_dim(dim, ndim, "permute")] for dim in dims]
    steps = [1]
    for size in reversed(sizes[1:]):
        steps.append(steps[-1] * size)
    return Layout(tuple(sizes), tuple(reversed(steps))[-ndim:] if ndim else ())
#: reversed
#: you reverse the dimensions. That is `.T`; here `dims` says which one comes where.
    normalize_dims(dims, ndim, "permute")
    return Layout(shape[::-1], strides[::-1])
#: sorted
#: you take the dimensions in rising order, so nothing moves. Their order in `dims` is what is
#: asked for.
    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = sorted(normalize_dim(dim, ndim, "permute") for dim in dims)
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
#: named_twice_by_sign
#: you look for a dimension twice before the negative ones are counted from the front: 1 and -1 may
#: be the same. `normalize_dims` sees it.
    if len({*dims}) != ndim:
        raise RuntimeError(f"[permute] a dimension is named twice in {dims}")
    return Layout(tuple(shape[dim] for dim in dims), tuple(strides[dim] for dim in dims))
#: one_too_low
#: a negative dim comes out one too low: -1 is dimension `ndim - 1`. `normalize_dim` counts right.
    normalize_dims(dims, ndim, "permute")
    order = [dim + ndim - 1 if dim < 0 else dim for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
#: another_error
#: you raise another error than `normalize_dims` does for a dimension named twice. Call it, and let
#: it complain.
    if len({dim % ndim for dim in dims}) < ndim:
        raise ValueError(f"[permute] a dimension is named twice in {dims}")
    return Layout(tuple(shape[dim] for dim in dims), tuple(strides[dim] for dim in dims))
#: none_to_pair
#: an array without dimensions makes you stumble: of no pairs there is nothing to take apart. Build
#: both tuples by themselves.
    normalize_dims(dims, ndim, "permute")
    new_shape, new_strides = zip(*[(shape[dim], strides[dim]) for dim in dims])
    return Layout(new_shape, new_strides)
#: without_sign
#: you dropped the sign of a stride. A dimension takes its stride along as it is, a negative one
#: too.
    normalize_dims(dims, ndim, "permute")
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(abs(strides[k]) for k in order))
#: moved
#: the offset moves. Nothing moves in memory: the first element stays the first.
    normalize_dims(dims, ndim, "permute")
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order), 1)
#: rotated
#: you turn the dimensions in a circle, so that the first one named comes first. The order of the
#: others is in `dims` as well.
    normalize_dims(dims, ndim, "permute")
    first = normalize_dim(dims[0], ndim, "permute") if dims else 0
    return Layout(shape[first:] + shape[:first], strides[first:] + strides[:first])
#: sign_turned
#: you turn the sign of a negative dim and count from the front. It counts from the back: -1 is the
#: last dimension.
    normalize_dims(dims, ndim, "permute")
    order = [(-dim if dim < 0 else dim) % ndim for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
#: no_layout
#: you return a pair. A `Layout` is asked for: `Layout(shape, strides)`.
    normalize_dims(dims, ndim, "permute")
    return tuple(shape[dim] for dim in dims), tuple(strides[dim] for dim in dims)
