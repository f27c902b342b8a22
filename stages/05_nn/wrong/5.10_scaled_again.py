        with no_grad():
            for grad in grads:
                grad.mul_(self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
