    normalize_dims(dims, ndim, "permute")
    order = [normalize_dim(dim, ndim, "permute") for dim in dims]
    places = [order.index(k) for k in range(ndim)]
    return Layout(tuple(shape[k] for k in places), tuple(strides[k] for k in places))
