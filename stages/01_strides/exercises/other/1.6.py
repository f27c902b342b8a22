#: zeros_first
#: nothing moves at first; then each dimension of the small array is asked, from the last one on,
#: whether it walks. New dimensions need no case of their own; the result is a list until the end.
    found = [0] * len(target)
    for back in range(1, len(shape) + 1):
        if shape[-back] == target[-back]:
            found[-back] = strides[-back]
    return tuple(found)
