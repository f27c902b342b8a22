        factor = 1.0 if float(total) <= max_norm else 0.0
        for g in grads:
            g.mul_(factor)
