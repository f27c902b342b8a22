    normalize_dims(dims, ndim, "permute")
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    return Layout(tuple(shape[k] for k in order), strides)
