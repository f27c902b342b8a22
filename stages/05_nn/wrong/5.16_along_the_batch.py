    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=0)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
