    own = s.amax(-1, keepdim=True)
    raised = maximum(highest, own)
    p, shrink, share = exp(s - own), exp(highest - raised), exp(own - raised)
    total = total * shrink + p.sum(-1, keepdim=True) * share
    out = out * shrink + (p @ value) * share
    return raised, total, out
