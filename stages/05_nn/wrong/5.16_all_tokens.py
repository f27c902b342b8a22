    best, which = logits.topk(tokens)
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
