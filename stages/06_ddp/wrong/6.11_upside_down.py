    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(raised - highest)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
