        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or bool(grad.isfinite().all())
