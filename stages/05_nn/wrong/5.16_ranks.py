    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return multinomial(shares, 1, generator=generator)
