#: stops_early | drops: divide all of them in any case
#: you stop at the first infinite gradient, so those behind it stay multiplied. Who looks at them
#: after `unscale_` finds two sizes.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                if not bool(grad.isfinite().all()):
                    overflowed = True
                    break
#: last_alone | drops: If any number of any of them
#: you remember only what the last gradient was like. One that overflows anywhere spoils the step.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = not bool(grad.isfinite().all())
#: infinite_alone | drops: infinite or not a number
#: you look for infinity alone. An overflow on the way may arrive as not-a-number: infinity minus
#: infinity.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or bool(grad.isinf().any())
#: a_copy | drops: in place
#: the gradients themselves are as they were. The optimizer reads them: change them in place, and no
#: copy.
        with no_grad():
            for grad in grads:
                grad = grad * (1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
#: not_looked | drops: `overflowed` becomes True
#: you never look whether a gradient overflowed. The optimizer would write infinity into the
#: weights.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
#: any_finite
#: you accept a gradient with some finite numbers in it. One infinite number is enough to spoil the
#: step.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().any())
#: scaled_again | drops: Divide each of them by it
#: you multiply where you should divide. The gradients came multiplied by the factor already.
        with no_grad():
            for grad in grads:
                grad.mul_(self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
#: recorded | drops: without a record
#: you divide while operations are recorded. A gradient may itself require one (after
#: `create_graph=True`): `no_grad()`.
        for grad in grads:
            grad.mul_(1 / self._scale)
            overflowed = overflowed or not bool(grad.isfinite().all())
#: nan_alone
#: you look for not-a-number alone. An overflow is an infinity at first.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or bool(grad.isnan().any())
#: always_overflowed
#: you report an overflow where everything is finite. Then no step is ever taken.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or bool(grad.isfinite().all())
#: first_alone
#: you divide the first gradient alone.
        with no_grad():
            for grad in grads[:1]:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
#: recorded_division
#: you divide while operations are recorded. A gradient may itself require one (after
#: `create_graph=True`): `no_grad()`.
        for grad in grads:
            grad.div_(self._scale)
            overflowed = overflowed or not bool(grad.isfinite().all())
#: sum_finite
#: you ask a sum whether it is finite. The sum of finite numbers may be infinite: ask each number.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.sum().isfinite())
#: norm_finite
#: you ask a sum whether it is finite. The sum of finite numbers may be infinite: ask each number.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.norm().isfinite())
#: half_limit
#: you take every number beyond the largest of float16 for an overflow. A gradient in float32 may be
#: larger: ask whether it is finite.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool((grad.abs() <= 65504.0).all())
#: largest_finite
#: you ask for the largest number, and a gradient without numbers has none. `all` of none is True.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.abs().max().isfinite())
#: rows_copied
#: you divide a copy where the numbers of a gradient do not lie one behind the other: `reshape` and
#: `contiguous` copy then. Divide the gradient itself.
        with no_grad():
            for grad in grads:
                flat = grad.reshape(-1)
                flat.mul_(1 / self._scale)
                overflowed = overflowed or not bool(flat.isfinite().all())
#: whole_factor
#: you divide by a whole number. The factor may be a fraction, as 0.5.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / max(int(self._scale), 1))
                overflowed = overflowed or not bool(grad.isfinite().all())
#: made_finite
#: you replace what is infinite or no number. The gradients are only divided: the step is left out,
#: and the next backward makes new ones.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                if not bool(grad.isfinite().all()):
                    overflowed = True
                    grad.nan_to_num_()
#: factor_forgotten
#: you change the factor. It is divided by here; `update` alone changes it.
        with no_grad():
            for grad in grads:
                grad.mul_(1 / self._scale)
                overflowed = overflowed or not bool(grad.isfinite().all())
            self._scale = 1.0
