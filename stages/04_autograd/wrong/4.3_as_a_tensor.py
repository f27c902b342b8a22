    extra = len(shape) - len(wanted)
    for _ in range(extra):
        array = array.sum(0)
    for k, size in enumerate(wanted):
        if size == 1:
            array = array.sum(k).unsqueeze(k)
    return array
