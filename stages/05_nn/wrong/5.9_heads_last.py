    return x.unflatten(-1, (num_heads, -1)).permute(1, 0, 2, 3)
