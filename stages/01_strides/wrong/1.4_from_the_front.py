    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = [abs(dim) for dim in dims]
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
