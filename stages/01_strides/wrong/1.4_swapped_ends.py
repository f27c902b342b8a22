    normalize_dims(dims, ndim, "permute")  # refuses a dimension named twice
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    order = [order[-1], *order[1:-1], order[0]] if len(order) > 1 else order
    return Layout(tuple(shape[k] for k in order), tuple(strides[k] for k in order))
