    return x.unflatten(-1, (-1, num_heads)).permute(1, 3, 0, 2)
