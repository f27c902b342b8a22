        factor = (max_norm / total).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
