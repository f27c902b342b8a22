    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g.mul_(g), alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
