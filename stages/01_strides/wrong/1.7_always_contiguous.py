    return contiguous(target)
