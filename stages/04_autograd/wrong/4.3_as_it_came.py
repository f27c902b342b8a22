    return array
