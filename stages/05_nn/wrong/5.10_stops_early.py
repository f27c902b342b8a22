        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                if not bool(grad.isfinite().all()):
                    overflowed = True
                    break
