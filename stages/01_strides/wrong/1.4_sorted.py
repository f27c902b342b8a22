    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = sorted(normalize_dim(dim, ndim, "permute") for dim in dims)
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
