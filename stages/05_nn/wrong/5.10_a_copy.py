        with no_grad():
            for grad in grads:
                grad = grad * (1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
