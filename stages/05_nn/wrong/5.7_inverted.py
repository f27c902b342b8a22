        factor = ((total + 1e-6) / max_norm).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
