    shares = softmax(logits / temperature, dim=-1)
    return multinomial(shares, 1, generator=generator)
