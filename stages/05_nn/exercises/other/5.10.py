#: two_passes
#: all gradients are divided first, and asked afterwards, up to the first that is not finite. The
#: two jobs are apart, and after an overflow few are asked; all others are read a second time.
        with no_grad():
            for grad in grads:
                grad.div_(self._scale)
            overflowed = not all(bool(grad.isfinite().all()) for grad in grads)
