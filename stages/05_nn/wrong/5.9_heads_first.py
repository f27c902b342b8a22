    return x.unflatten(-1, (num_heads, -1)).permute(2, 1, 0, 3)
