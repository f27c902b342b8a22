#: one_by_one | drops: by one and the same factor
#: you shorten each gradient by its own length. The step then points in another direction; all
#: share one factor.
        for g, own in zip(grads, lengths, strict=True):
            g.mul_((max_norm / (own + 1e-6)).clamp(max=1.0))
#: lengthened | drops: gradients that are short enough stay
#: you stretch short gradients to the limit too. Near a minimum gradients are small for a good
#: reason.
        for g in grads:
            g.mul_(max_norm / (total + 1e-6))
#: not_in_place | drops: in place
#: you make new gradients and forget them at the end of the loop. The parameters hold the old ones:
#: change them in place.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g = g * factor
#: inverted | drops: so that the length becomes `max_norm`
#: you turned the quotient over. A length of 10 and a limit of 5 make a factor of a half.
        factor = ((total + 1e-6) / max_norm).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: clamped_below
#: you keep the factor from falling below 1, so that nothing gets shorter. It must not rise above
#: 1.
        factor = (max_norm / (total + 1e-6)).clamp(min=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: values_cut
#: you cut each number off at the limit. That turns the step into another direction; the length is
#: what is limited.
        for g in grads:
            g.clamp_(-max_norm, max_norm)
#: unit
#: you make the length 1, whatever the limit is.
        factor = (1 / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: squared
#: you divide by the square of the length.
        factor = (max_norm / (total * total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: first_alone
#: you shorten the first gradient alone. All of them make the vector.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads[:1]:
            g.mul_(factor.to(g.device))
#: subtracted
#: you subtract the factor from the gradients. Multiply: only then does the direction stay.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.sub_(factor.to(g.device))
#: all_or_nothing
#: you set gradients that are too long to 0. They keep their direction and get shorter.
        factor = 1.0 if float(total) <= max_norm else 0.0
        for g in grads:
            g.mul_(factor)
#: share
#: you divide by the number of gradients as well. `total` is the length of all of them together
#: already.
        factor = (max_norm / len(grads) / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: no_eps
#: you leave out the 1e-6. Without it a length of 0 is a division by 0, and very short gradients
#: come out longer than they should.
        factor = (max_norm / total).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: length_changed
#: you add the 1e-6 to `total` itself. It is returned below the hole: the length as it was.
        factor = (max_norm / total.add_(1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: compared | drops: A length of nan makes all of them nan
#: you compare, and every comparison with nan is False: the gradients stay as if they were short.
#: `.clamp` passes nan on.
        if total > max_norm:
            for g in grads:
                g.mul_(max_norm / (total + 1e-6))
#: length_anew
#: you reckon the length anew, as the root of the squares. `total` is the length already, and the
#: caller may want another one: the sum of sizes, or the largest.
        squares = sum((g * g).sum() for g in grads)
        factor = (max_norm / (squares.sqrt() + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: no_limit_of_0
#: you take a limit of 0 for no limit. It makes all gradients 0.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device) if max_norm else 1.0)
#: replaced
#: you give the parameters new gradients. Whoever holds the old ones, as a hook does, never sees
#: them shortened: change them in place.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for p in given:
            if p.grad is not None:
                p.grad = p.grad * factor.to(p.grad.device)
#: rows_copied
#: you shorten a copy where the numbers of a gradient do not lie one behind the other: `reshape`
#: copies then. Multiply the gradient itself.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.reshape(-1).mul_(factor.to(g.device))
#: row_by_row
#: you go through the rows of a gradient. One of no dimensions has none: multiply all of it at once.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            for k in range(g.shape[0]):
                g[k].mul_(factor.to(g.device))
#: eps_beside_the_limit
#: you raise the length to the limit and add 1e-6 then, so that the factor of a short gradient is a
#: little less than 1, or a half where the limit is tiny. The factor itself is cut at 1.
        factor = max_norm / (total.clamp(min=max_norm) + 1e-6)
        for g in grads:
            g.mul_(factor.to(g.device))
#: every_parameter
#: you ask every parameter for its gradient, and one may have none. `grads` are those that are
#: there.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for p in given:
            p.grad.mul_(factor.to(p.grad.device))
#: min_of_python
#: the `min` of Python compares, and every comparison with nan is False: the factor becomes 1.
#: `.clamp` passes nan on.
        factor = min(1.0, max_norm / (total.item() + 1e-6))
        for g in grads:
            g.mul_(factor)
#: length_shortened
#: you shorten `total` too. It is returned below the hole: the length as it was.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor)
        total.mul_(factor)
#: smaller_eps
#: you add less than 1e-6 to the length. Very short gradients come out longer than they should.
        factor = (max_norm / (total + 1e-8)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor)
#: eps_behind
#: you add the 1e-6 to the factor. It belongs to the length, below the line.
        factor = (max_norm / total + 1e-6).clamp(max=1.0)
        for g in grads:
            g.mul_(factor)
#: factor_anew
#: you work out the factor again after some gradients have been shortened. All share the one that
#: the length at the start gives.
        for g in grads:
            length = stack([x.norm(norm_type) for x in grads]).norm(norm_type)
            g.mul_((max_norm / (length + 1e-6)).clamp(max=1.0))
#: zero_for_nan
#: you set gradients to 0 where the length is nan. All of them become nan, so that somebody notices.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            if bool(total.isfinite()):
                g.mul_(factor)
            else:
                g.zero_()
#: single_numbers_left
#: you leave out gradients of a single number. They are part of the vector as the others are.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            if g.numel() > 1:
                g.mul_(factor)
#: root_of_the_length
#: you take the root of `total`. It is the length already, not the sum of the squares.
        factor = (max_norm / (total ** 0.5 + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor)
#: last_left_out
#: you leave out the last gradient. All of them make the vector.
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads[: max(1, len(grads) - 1)]:
            g.mul_(factor)
#: longest_alone
#: you take the length of the longest gradient for that of all. `total` is the length of all of them
#: together.
        longest = stack([g.norm(norm_type) for g in grads]).max()
        factor = (max_norm / (longest + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor)
#: lengthened_to_twice
#: your factor may be as large as 2. It never rises above 1: short gradients stay.
        # The 1e-6 is PyTorch's; multiplying by 1 saves the question whether to clip.
        factor = (max_norm / (total + 1e-6)).clamp(max=2.0)
        for g in grads:
            g.mul_(factor.to(g.device))
#: added_1
#: you add 1 to the length where 1e-6 is meant, which only keeps a length of 0 from a division by 0.
        # The 1.0 is PyTorch's; multiplying by 1 saves the question whether to clip.
        factor = (max_norm / (total + 1.0)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))
