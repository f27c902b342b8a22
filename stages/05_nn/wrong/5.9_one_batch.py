    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3).flatten(0, 1)
