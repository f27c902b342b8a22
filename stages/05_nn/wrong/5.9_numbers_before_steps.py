    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 3, 0)
