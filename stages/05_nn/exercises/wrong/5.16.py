#: ranks | drops: not their ranks
#: you return the rank among the best. It counts from the best token on; `places` says which token
#: that is.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return multinomial(shares, 1, generator=generator)
#: always_the_best | drops: Draw one token a row
#: you always take the best token and never draw. A text then goes around in circles.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which[..., :1]
#: all_tokens | drops: among its `top_k` best
#: you draw among all tokens. What is not among the `top_k` best must not be drawn.
    best, which = logits.topk(tokens)
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: one_more
#: you draw among one token too many.
    best, which = logits.topk(min((top_k or tokens) + 1, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: the_worst
#: you draw among the worst. `topk` finds the largest, unless it is told otherwise.
    best, which = logits.topk(min(top_k or tokens, tokens), largest=False)
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: none_fails | drops: all of them if that is None
#: you hand `None` on as a number. Without `top_k`, all tokens can be drawn.
    best, which = logits.topk(min(top_k, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: too_many | drops: never more than there are
#: you ask for more tokens than there are.
    best, which = logits.topk(top_k or tokens)
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: no_temperature | drops: divided by `temperature`
#: the temperature changes nothing in your answer. Divide the scores by it, before the softmax:
#: after it, all shares are scaled alike.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: hotter_is_colder
#: you multiply by the temperature. A high temperature makes the draw more even: divide.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best * temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: along_the_batch | drops: the `softmax` of that along the last dimension
#: you take the softmax along the rows of the batch. Each row has shares of its own.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=0)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: no_softmax
#: you draw by the scores themselves. They may be negative; the softmax makes shares of them.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = (best / temperature).abs()
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: first_rows_tokens
#: you read the tokens of the first row for every row. Each row has its own best.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which[:1].expand_as(which).gather(-1, multinomial(shares, 1, generator=generator))
#: other_dice | drops: `multinomial(shares, 1, generator=generator)`
#: you do not hand the generator on. A run with the same seed then draws something else.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1))
#: flat
#: you return N numbers. (N, 1) can be put behind the text as it is.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator)).squeeze(-1)
#: top_k_ignored
#: you draw among all tokens. What is not among the `top_k` best must not be drawn.
    shares = softmax(logits / temperature, dim=-1)
    return multinomial(shares, 1, generator=generator)
#: masked_with_zero
#: you make the scores of the others 0. The softmax gives a score of 0 a share too: only minus
#: infinity has none.
    best, which = logits.topk(min(top_k or tokens, tokens))
    kept = logits * (logits >= best[..., -1:])
    return multinomial(softmax(kept / temperature, dim=-1), 1, generator=generator)
#: one_too_few
#: you draw among one token too few.
    best, which = logits.topk(max(min(top_k or tokens, tokens) - 1, 1))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: scores_changed
#: you divide the caller's scores in place. Whoever looks at them afterwards finds others: divide a
#: copy.
    logits /= temperature
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: all_that_are_equal
#: you draw among all scores that are no worse than the last of the best. Where scores are equal,
#: these are more than `top_k`.
    best, _ = logits.topk(min(top_k or tokens, tokens))
    alone = logits.masked_fill(logits < best[..., -1:], -float("inf"))
    return multinomial(softmax(alone / temperature, dim=-1), 1, generator=generator)
#: plain_exp
#: you take exp of the scores as they are. A large score makes it infinite: `softmax` subtracts the
#: largest first.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = (best / temperature).exp()
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: first_row_drawn
#: you draw once and give every row the same place. Each row has a draw of its own.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    place = multinomial(shares[:1], 1, generator=generator)
    return which.gather(-1, place.expand(logits.shape[0], 1))
#: none_is_one
#: you take None for 1. Without `top_k`, all tokens can be drawn.
    best, which = logits.topk(min(top_k or 1, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: never_colder
#: you use a temperature below 1 as if it were 1. It makes the draw sharper.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / max(temperature, 1.0), dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: best_if_cold
#: you take the best token where the temperature is low. It is still a draw.
    best, which = logits.topk(min(top_k or tokens, tokens))
    if temperature < 1:
        return which[:, :1]
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: always_seeded
#: you make a generator with a seed of your own where none is given. Every call then draws the same.
    from norch_autograd import Generator as Dice

    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    dice = generator or Dice().manual_seed(0)
    return which.gather(-1, multinomial(shares, 1, generator=dice))
#: few_without_top_k
#: you draw among the best few where `top_k` is None. Then all tokens can be drawn.
    best, which = logits.topk(min(top_k or 50, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: one_too_few_of_many
#: you draw among one token too few.
    k = min(top_k or tokens, tokens)
    best, which = logits.topk(max(1, k - 1) if top_k else k)
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: top_k_never_used
#: you ask for `tokens` where `top_k` is given: `and` gives the second of the two.
    best, which = logits.topk(min(top_k and tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: as_many_as_rows
#: you draw among as many tokens as there are rows. How many can be drawn is `top_k`, or all of a
#: row.
    best, which = logits.topk(min(top_k or tokens, tokens, max(logits.shape[0], 1)))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: shares_turned
#: you turn the scores round and not the places, so that the worst token is drawn as often as the
#: best should be.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best.flip(-1) / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
#: divided_twice
#: you divide by the temperature twice.
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
