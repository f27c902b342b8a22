#: python_counts_back
#: a tuple takes negative indices itself, so no dimension has to be made positive. That is shorter,
#: and relies on the check before it: a dim out of range has been refused there.
    normalize_dims(dims, ndim, "permute")
    return Layout(tuple(shape[dim] for dim in dims), tuple(strides[dim] for dim in dims))
