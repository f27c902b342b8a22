#: scattered_back
#: the best scores go back to their places in a row of minus infinities, so that the draw gives the
#: token itself. Nothing has to be translated afterwards; softmax and draw run over all tokens,
#: fifty thousand instead of fifty.
    best, which = logits.topk(min(top_k or tokens, tokens))
    alone = logits.new_full(logits.shape, -float("inf")).scatter_(-1, which, best)
    return multinomial(softmax(alone / temperature, dim=-1), 1, generator=generator)
