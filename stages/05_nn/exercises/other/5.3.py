#: two_products
#: each fan is a product of its own: all sizes but the first, and all but the second. Each reads as
#: its definition says; the kernel is multiplied twice.
    outputs, *row = tensor.shape
    return math.prod(row), math.prod([outputs, *row[1:]])
