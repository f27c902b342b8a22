    return dict(entry)
