    best, which = logits.topk(min(top_k or tokens, tokens), largest=False)
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
