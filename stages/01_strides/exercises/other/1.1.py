#: product_of_the_rest
#: each stride is written as its definition: the product of all sizes behind it. There is no
#: running number to follow; each product is multiplied anew, which costs more for many dimensions.
    return tuple(prod(max(size, 1) for size in shape[dim + 1 :]) for dim in range(len(shape)))
