    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(shape, tuple(strides[k] for k in order))
