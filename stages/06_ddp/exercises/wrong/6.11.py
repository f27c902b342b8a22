#: old_sum | drops: the sum of exp(score - m)
#: you scale the values so far and not their weights' sum. Both were made with the old largest.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
#: old_out | drops: the sum of exp(score - m) times the values
#: you scale the sum so far and not the values. Both were made with the old largest.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out + p @ value
    return raised, total, out
#: upside_down
#: you scale by exp(new largest - old largest), which is above 1. A larger score makes the old ones
#: count for less.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(raised - highest)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
#: own_largest
#: you take the chunk's largest score for that of all chunks so far. Where an earlier one was
#: larger, its share overflows.
    raised = s.amax(-1, keepdim=True)
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
#: old_base
#: the chunk's weights are taken relative to its own largest score, and added to sums relative to
#: another one.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - s.amax(-1, keepdim=True)), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
#: unshifted | drops: nothing may overflow
#: you take exp of the scores as they are. From about 89 on that is infinite in float32, and far
#: below 0 it is 0.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p = exp(s)
    total = total + p.sum(-1, keepdim=True)
    out = out + p @ value
    return raised, total, out
#: one_for_all_rows | drops: the largest score m of each query
#: all queries share one largest score. A row that is far below it has weights of 0 alone: each row
#: has its own.
    raised = maximum(highest, s.amax())
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
#: divided_at_once | drops: in the end the caller divides `out` by `total`
#: you divide by the sum in every chunk. The caller divides once, at the end; until then `out` is a
#: sum.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out / total
#: largest_forgotten | drops: Return the three with this chunk in them
#: you return the old largest score, so the next chunk scales by the wrong number.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return highest, total, out
#: only_the_chunk | drops: For the chunks so far
#: the chunks so far are lost: the sums begin anew with each one.
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p = exp(s - raised)
    total = p.sum(-1, keepdim=True)
    out = p @ value
    return raised, total, out
#: masked_chunk | drops: some are -inf (masked)
#: you take exp of scores minus the chunk's own largest, and make that up afterwards. Where all of
#: a chunk is masked in a row, its largest is -inf, and -inf minus -inf is not a number.
    own = s.amax(-1, keepdim=True)
    raised = maximum(highest, own)
    p, shrink, share = exp(s - own), exp(highest - raised), exp(own - raised)
    total = total * shrink + p.sum(-1, keepdim=True) * share
    out = out * shrink + (p @ value) * share
    return raised, total, out
