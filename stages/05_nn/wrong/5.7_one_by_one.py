        for g, length in zip(grads, lengths, strict=True):
            g.mul_((max_norm / (length + 1e-6)).clamp(max=1.0))
