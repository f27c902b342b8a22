    logits /= temperature
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
