        for g, own in zip(grads, lengths, strict=True):
            g.mul_((max_norm / (own + 1e-6)).clamp(max=1.0))
