        factor = (max_norm / total.add_(1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
