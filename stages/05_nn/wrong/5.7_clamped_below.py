        factor = (max_norm / (total + 1e-6)).clamp(min=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
