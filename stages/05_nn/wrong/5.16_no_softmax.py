    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = (best / temperature).abs()
    return which.gather(-1, multinomial(shares, 1, generator=generator))
