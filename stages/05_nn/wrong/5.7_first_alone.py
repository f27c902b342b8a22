        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads[:1]:
            g.mul_(factor.to(g.device))
