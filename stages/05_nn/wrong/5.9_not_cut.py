    return x.unsqueeze(0).permute(2, 0, 1, 3).expand(-1, num_heads, -1, -1)
