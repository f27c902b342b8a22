    steps, batch, width = x.shape
    return x.reshape(batch, num_heads, steps, width // num_heads)
