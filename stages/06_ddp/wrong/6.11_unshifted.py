    raised = maximum(highest, s.amax(-1, keepdim=True))
    p = exp(s)
    total = total + p.sum(-1, keepdim=True)
    out = out + p @ value
    return raised, total, out
