    best, which = logits.topk(max(min(top_k or tokens, tokens) - 1, 1))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
