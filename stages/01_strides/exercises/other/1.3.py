#: compared_with_row_major
#: it asks for the strides that a contiguous array would have and compares, dimension by dimension.
#: The rule of 1.1 is not written twice; the strides are computed even where the first differs.
    dims = zip(shape, strides, _row_major_strides(shape), strict=True)
    return 0 in shape or all(size == 1 or stride == step for size, stride, step in dims)
