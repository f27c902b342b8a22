    raised = maximum(highest, s.amax(-1, keepdim=True))
    p = exp(s - raised)
    total = p.sum(-1, keepdim=True)
    out = p @ value
    return raised, total, out
