    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - s.amax(-1, keepdim=True)), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out
