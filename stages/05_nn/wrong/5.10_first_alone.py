        with no_grad():
            for grad in grads[:1]:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
