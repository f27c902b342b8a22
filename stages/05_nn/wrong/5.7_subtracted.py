        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.sub_(factor.to(g.device))
