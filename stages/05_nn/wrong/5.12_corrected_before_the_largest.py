    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    v = v / (1 - beta2**t)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    p.sub_(lr * (m / (1 - beta1**t)) / (v.sqrt() + eps))
