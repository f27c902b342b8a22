    best, which = logits.topk(min(top_k or tokens, tokens))
    kept = logits * (logits >= best[..., -1:])
    return multinomial(softmax(kept / temperature, dim=-1), 1, generator=generator)
