        for grad in grads:
            grad.div_(self._scale)
            overflowed = overflowed or not bool(grad.isfinite().all())
