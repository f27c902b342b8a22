#: no_correction | drops: divide them by 1 - β₁ᵗ and 1 - β₂ᵗ
#: you use the means as they are. They started at 0 and are too small in the first steps, each by
#: another factor: divide by 1 - β₁ᵗ and 1 - β₂ᵗ.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m, v
    p.sub_(lr * mean / (square.sqrt() + eps))
#: mean_alone_corrected
#: you correct the mean and not the square. The root in the denominator is then too small, and the
#: first steps too long.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v
    p.sub_(lr * mean / (square.sqrt() + eps))
#: square_alone_corrected
#: you correct the square and not the mean. The first steps are then far too short.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m, v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: times_t
#: you multiply beta by t. What is left of the 0 at the start is beta to the power of t.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1 * t), v / (1 - beta2 * t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: corrected_once
#: you correct by the same factor in every step. What is left of the start shrinks from step to
#: step: β to the power of t.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1), v / (1 - beta2)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: correction_kept | drops: keep them as they are
#: you divide the means themselves. The next step starts from them: correct a copy.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m.div_(1 - beta1**t), v.div_(1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: eps_in_root | drops: (√square + eps)
#: you add eps below the root. It belongs behind it: √square + eps.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square + eps).sqrt())
#: no_eps
#: you forgot eps. It keeps a weight whose gradients are almost 0 from a division by almost 0.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt()))
#: no_root
#: you divide by the square instead of its root. The length of a step must not depend on how the
#: loss is scaled.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square + eps))
#: swapped_parts | drops: a running mean of the gradients: `beta1` parts of what it was
#: you exchanged the parts. `beta1` is what stays of the old mean, as 0.9; the new gradient counts
#: 1 - `beta1`.
    m.mul_(1 - beta1).add_(g, alpha=beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: sum_of_gradients
#: you add the whole gradient to m, as momentum does. Adam keeps a mean: the gradient counts 1 -
#: `beta1`.
    m.mul_(beta1).add_(g)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: not_squared | drops: one of their squares
#: you take the running mean of the gradient for both. `v` is the mean of its square.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g.abs(), alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: forgotten | drops: Both change in place
#: you make new means and forget them at the end of the step. The state holds `m` and `v`
#: themselves: change them in place.
    m = m * beta1 + g * (1 - beta1)
    v = v * beta2 + g * g * (1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: new_weight | drops: moves, in place
#: you make a new weight and give it the old one's name. The model holds the old one: change `p` in
#: place.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p = p - lr * mean / (square.sqrt() + eps)
#: uphill | drops: against the mean
#: you walk uphill. The gradient says where the loss grows: subtract.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.add_(lr * mean / (square.sqrt() + eps))
#: no_rate
#: you forgot the learning rate.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(mean / (square.sqrt() + eps))
#: largest_ignored | drops: If `largest` is not None
#: you never look at `largest`. With AMSGrad the largest `v` so far is used, so that a step never
#: grows because gradients have become small.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: largest_forgotten | drops: becomes, in place, the larger
#: you use the larger of the two and do not remember it. `largest` must hold it for the next step.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = maximum(largest, v)
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: largest_into_v
#: you write the maximum into `v`. The running mean goes on from it in the next step; `largest`
#: alone remembers.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v.copy_(maximum(largest, v))
        largest.copy_(v)
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: gradient_alone
#: you move by the gradient instead of its mean. Then `m` is for nothing, and the step is
#: RMSprop's.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * g / (square.sqrt() + eps))
#: gradient_squared
#: you square the gradient in place. It is the weight's own, and whoever looks at it after the step
#: finds its square.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g.mul_(g), alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: corrected_before_the_largest
#: you correct `v` before it is compared. `largest` is the larger of itself and `v` as it stands;
#: what is used is corrected after that.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    v = v / (1 - beta2**t)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    p.sub_(lr * (m / (1 - beta1**t)) / (v.sqrt() + eps))
#: eps_corrected
#: you add eps before the square is corrected, so that eps is divided as well. It comes last: the
#: root of the corrected square, then + eps.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    root = (v.sqrt() + eps) / (1 - beta2**t) ** 0.5
    p.sub_(lr * (m / (1 - beta1**t)) / root)
#: rate_of_0_skipped
#: you do nothing where the rate is 0. The weight stays, and both means move all the same: the next
#: steps stand on them.
    if lr == 0:
        return
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: single_precision
#: you reckon in float32, and a weight in double precision loses half of its digits.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m.float() / (1 - beta1**t), v.float() / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: rows_copied
#: you change a copy of the weight where its numbers do not lie one behind the other: `reshape`
#: copies then. Change `p` itself.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.reshape(-1).sub_((lr * mean / (square.sqrt() + eps)).reshape(-1))
#: row_by_row
#: you go through the rows of the weight. One of no dimensions has none: change all of it at once.
    for k in range(p.shape[0]):
        m[k] = m[k] * beta1 + g[k] * (1 - beta1)
        v[k] = v[k] * beta2 + g[k] * g[k] * (1 - beta2)
        square = v[k]
        if largest is not None:
            largest[k] = maximum(largest[k], v[k])
            square = largest[k]
        p[k] = p[k] - lr * m[k] / (1 - beta1**t) / ((square / (1 - beta2**t)).sqrt() + eps)
#: largest_of_one_number
#: you compare single numbers. Each place of the weight has a largest of its own: `maximum` compares
#: all.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        if v.item() > largest.item():
            largest.copy_(v)
        v = largest
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: latest_square
#: `largest` takes the newest `v`, also where it is the smaller. It keeps the larger of the two.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        largest.copy_(v)
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: step_counted
#: you count the step. `t` counts this one already, and who calls you has written it down.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
    state["step"] = t + 1
#: state_replaced
#: you put new tensors into the state. Whoever holds the old ones, as a captured graph does, never
#: sees them move: change `m`, `v` and `largest` in place.
    state["exp_avg"] = m = m * beta1 + g * (1 - beta1)
    state["exp_avg_sq"] = v = v * beta2 + g * g * (1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: largest_replaced
#: you put a new tensor into the state. Whoever holds the old one, as a captured graph does, never
#: sees it grow: change `largest` in place.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        state["max_exp_avg_sq"] = v = maximum(largest, v)
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: own_gradient
#: you take the gradient that hangs on `p`. `g` is another one where weight decay was added, or
#: where the loss is to grow.
    g = g if p.grad is None else p.grad
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: step_before
#: you correct the mean with the power of the step before. Both corrections belong to this step.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1 ** max(t - 1, 1)), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: eps_as_the_least
#: you use eps as the least that the root may be. It is added to the root.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / square.sqrt().clamp(min=eps))
#: all_parts_exchanged
#: you exchanged the parts in both means. `beta1` and `beta2` are what stays of the old ones; what
#: is new counts the rest.
    m.mul_(1 - beta1).add_(g, alpha=beta1)
    v.mul_(1 - beta2).add_(g * g, alpha=beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: one_beta
#: you use `beta1` for both means. That of the squares has `beta2`.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta1).add_(g * g, alpha=1 - beta1)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta1**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: square_of_the_mean
#: you square the mean. `v` is the mean of the squares of `g`.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(m * m, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: step_after
#: you correct with the power of the next step. `t` counts this one already.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1 ** (t + 1)), v / (1 - beta2 ** (t + 1))
    p.sub_(lr * mean / (square.sqrt() + eps))
#: divided_by_t
#: you multiply 1 - beta by t. What is left of the 0 at the start is beta to the power of t.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1) / t, v / (1 - beta2) / t
    p.sub_(lr * mean / (square.sqrt() + eps))
#: largest_not_used
#: you bring `largest` up to date and go on with `v`. `largest` is used in its place.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: largest_too_early
#: you compare before `v` has moved. `largest` is the larger of itself and the new `v`.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    old = v
    if largest is not None:
        largest.copy_(maximum(largest, v))
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    used = largest if largest is not None else v
    mean, square = m / (1 - beta1**t), used / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: nesterov
#: you mix the gradient into the mean once more, as `NAdam` does. Adam moves by the corrected mean
#: itself.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    ahead = beta1 * m + (1 - beta1) * g
    mean, square = ahead / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: mean_not_moved
#: `m` never moves. It is a running mean: each step moves it towards the gradient.
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: square_not_moved
#: `v` never moves. It is a running mean of the squares: without it the step is divided by 0.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: sum_of_squares
#: you add the whole square to `v`. It is a mean: the square counts 1 - `beta2`.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: gradient_in_the_square
#: you take the running mean of the gradient for `v`. It is the mean of its square.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: corrected_by_multiplying
#: you multiply by the correction. It makes the means larger in the first steps: divide.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m * (1 - beta1**t), v * (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: mean_multiplied
#: you multiply `m` by its correction. Divide: m started at 0 and is too small.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m * (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: square_multiplied
#: you multiply `v` by its correction. Divide: v started at 0 and is too small.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v * (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: corrected_by_one_plus
#: you divide by 1 + β to the power of t. It is 1 - that.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 + beta1**t), v / (1 + beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: times_the_root
#: you multiply by the root. The step is divided by it, so that its length does not depend on that
#: of the gradients.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean * (square.sqrt() + eps))
#: root_left_out
#: you move by the mean alone. It is divided by the root of the square.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean)
#: rate_divides
#: you divide the rate by the mean. They are multiplied.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr / mean / (square.sqrt() + eps))
#: own_part_forgotten
#: you do not shrink what `m` was: `beta1` parts of it stay, no more.
    m.add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: own_square_forgotten
#: you do not shrink what `v` was: `beta2` parts of it stay, no more.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: beta_of_the_mean
#: you use beta1 for the squares. They have a share of their own, beta2.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta1).add_(g * g, alpha=1 - beta1)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: powers_exchanged
#: you correct the mean with beta2 and the square with beta1. Each has a share of its own.
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    mean, square = m / (1 - beta2**t), v / (1 - beta1**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
#: mean_too_early
#: you move by the mean as it was before this step's gradient.
    mean = m / (1 - beta1**t)
    m.mul_(beta1).add_(g, alpha=1 - beta1)
    v.mul_(beta2).add_(g * g, alpha=1 - beta2)
    if largest is not None:
        v = largest.copy_(maximum(largest, v))
    square = v / (1 - beta2**t)
    p.sub_(lr * mean / (square.sqrt() + eps))
