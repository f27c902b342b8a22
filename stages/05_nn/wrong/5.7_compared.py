        if total > max_norm:
            for g in grads:
                g.mul_(max_norm / (total + 1e-6))
