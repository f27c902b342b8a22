    return entry
