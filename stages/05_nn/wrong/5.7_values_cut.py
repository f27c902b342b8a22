        for g in grads:
            g.clamp_(-max_norm, max_norm)
