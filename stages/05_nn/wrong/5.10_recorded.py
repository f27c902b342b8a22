        for grad in grads:
            grad.mul_(1 / self._scale)
            overflowed = overflowed or not bool(grad.isfinite().all())
