    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size == 1 or stride != expected:
            # An outer size of 0 may still make the array empty, and empty is contiguous.
            return 0 in shape
        expected *= size
    return True
