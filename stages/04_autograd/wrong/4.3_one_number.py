    return array.ops.sum(array, None, False)
