#: corrected_rate
#: the corrections go into the rate and into eps, two plain numbers, as Adam's authors propose. No
#: corrected copies of `m` and `v` are made, and `lerp_` moves a mean in one operation; the formula
#: is harder to recognise, and the last digits may differ.
    m.lerp_(g, 1 - beta1)
    v.lerp_(g * g, 1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    root = (1 - beta2**t) ** 0.5
    rate = lr * root / (1 - beta1**t)
    p.sub_(rate * m / (v.sqrt() + eps * root))
