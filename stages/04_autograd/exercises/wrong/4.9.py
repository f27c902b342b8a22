#: constants
#: you took the mean and the root for constants. Each element moves both, so each changes the
#: result of all others.
    return rstd * h
#: fixed_scale | drops: stretching a group changes (almost) nothing
#: you let an element move the mean and not the variance. A gradient that would only stretch the
#: line must vanish, since the line is brought back to variance 1.
    return rstd * (h - mean(h, dims, True))
#: fixed_mean | drops: a constant added to a group changes nothing
#: you let an element move the variance and not the mean. A gradient that is the same everywhere
#: must vanish: shifting the whole line changes nothing.
    return rstd * (h - y * mean(h * y, dims, True))
#: not_scaled | drops: `rstd` is 1 / root
#: you forgot the factor 1 / root. A line that was divided by ten lets a tenth of the gradient
#: through.
    return h - mean(h, dims, True) - y * mean(h * y, dims, True)
#: without_y
#: you take the mean of h y off every element alike. How far an element moves the variance depends
#: on how far it is from the mean: on its own y.
    return rstd * (h - mean(h, dims, True) - mean(h * y, dims, True))
#: whole_mean | drops: Over the dimensions `dims`
#: your means are over everything. A group is what lies along `dims`; groups know nothing of each
#: other.
    return rstd * (h - mean(h) - y * mean(h * y))
#: divided_by_rstd
#: you divide by `rstd`, which is 1 / root already: multiply by it.
    return (h - mean(h, dims, True) - y * mean(h * y, dims, True)) / rstd
#: sums
#: you take sums where means are wanted. The mean of a group moves by a share of what one of its
#: elements moves.
    return rstd * (h - sum(h, dims, True) - y * sum(h * y, dims, True))
#: dims_lost
#: the dimensions are gone after your mean, and what is left is lined up with the wrong elements.
#: Keep them with size 1: `mean(x, dims, True)`.
    return rstd * (h - mean(h, dims) - y * mean(h * y, dims))
#: first_part_scaled
#: only the first of three parts is divided by the root. All that reaches x has gone through the
#: division: put brackets around the parts.
    return rstd * h - mean(h, dims, True) - y * mean(h * y, dims, True)
#: counted_whole
#: you divide by the number of all elements. A group has fewer: only those along `dims`.
    count = h.array.numel
    return rstd * (h - sum(h, dims, True) / count - y * sum(h * y, dims, True) / count)
#: square_of_h
#: you take how long h is for how far it points along y. That is the mean of h times y.
    return rstd * (h - mean(h, dims, True) - y * mean(h * h, dims, True))
#: last_part_scaled
#: only the last of three parts is divided by the root. All that reaches x has gone through the
#: division: put brackets around the parts.
    return h - mean(h, dims, True) - y * mean(h * y, dims, True) * rstd
#: mean_added
#: you add the mean of h where it is to be taken away. What would only shift the group must vanish.
    return rstd * (h + mean(h, dims, True) - y * mean(h * y, dims, True))
#: one_less
#: you divide a sum by one less than there are. That estimates a variance from a sample; here it is
#: the mean of the whole group.
    count = h.array.numel // max(1, rstd.array.numel)
    return rstd * (h - mean(h, dims, True) - y * sum(h * y, dims, True) / max(count - 1, 1))
#: gradient_overwritten
#: you write into `h`. Others hold it too: `-` makes a new tensor, `-=` writes into the old one.
    h -= mean(h, dims, True)
    return rstd * (h - y * mean(h * y, dims, True))
#: last_part_twice
#: the last of three parts is divided by the root twice. All three are divided once.
    return rstd * (h - mean(h, dims, True)) - rstd * rstd * y * mean(h * y, dims, True)
#: divided_by_the_length
#: you divide by the sum of the squares of y. In a group of one y is 0, and that is 0 / 0: the mean
#: of y times y is 1, so that nothing is left to divide by.
    part = h - mean(h, dims, True)
    return rstd * (part - y * sum(part * y, dims, True) / sum(y * y, dims, True))
#: last_dimension
#: your means are over the last dimension whatever `dims` says. A group is what lies along `dims`.
    return rstd * (h - mean(h, -1, True) - y * mean(h * y, -1, True))
#: stretch_added
#: you add the part along y where it is to be taken away. What would only stretch the group must
#: vanish.
    return rstd * (h - mean(h, dims, True) + y * mean(h * y, dims, True))
#: detached | drops: detach nothing
#: you detach what the answer is made of. A recorded pass takes the derivative of your answer too,
#: and finds no way on from there.
    from norch_autograd.ops.dtype.convert import detach

    y, rstd = detach(y), detach(rstd)
    return rstd * (h - mean(h, dims, True) - y * mean(h * y, dims, True))
#: rstd_twice
#: you multiply by `rstd` twice. The root divides once.
    return rstd * rstd * (h - mean(h, dims, True) - y * mean(h * y, dims, True))
#: half_the_stretch
#: you take half of the part along y away. All of it would only stretch the group: it vanishes
#: whole.
    return rstd * (h - mean(h, dims, True) - y * mean(h * y, dims, True) / 2)
#: as_a_factor
#: you multiply by 1 - y squared, as the derivative of tanh does. Here each element moves the
#: variance of its whole group: take the part along y away.
    return rstd * (h - mean(h, dims, True)) * (1 - y * y)
#: h_for_y
#: you take h, or all of it, away where the part along y is meant. That part is y itself times the
#: mean of h y.
    return rstd * (h - mean(h, dims, True) - h * mean(y * y, dims, True))
#: one_of_the_dims
#: your means are over one of `dims`. A group lies along all of them.
    return rstd * (h - mean(h, dims[:1], True) - y * mean(h * y, dims[:1], True))
#: in_a_tuple
#: you return a tuple. This function is no node's `backward`: the gradient of `x` alone is wanted.
    return (rstd * (h - mean(h, dims, True) - y * mean(h * y, dims, True)),)
#: h_and_y_swapped
#: h and y have changed places. `h` is the gradient, `y` the result of the forward.
    return rstd * (y - mean(y, dims, True) - h * mean(h * y, dims, True))
#: root_of_rstd
#: you take the root of `rstd`. It is 1 / root already: multiply by it once.
    return (h - mean(h, dims, True) - y * mean(h * y, dims, True)) * sqrt(rstd)
#: y_squared
#: you take the square of y times a mean of h away. The part along y is y times the mean of h y.
    return rstd * (h - mean(h, dims, True) - y * y * mean(h, dims, True))
#: mean_of_h_along_y
#: you take y times the mean of h away. How far h points along y is the mean of h TIMES y.
    return rstd * (h - mean(h, dims, True) - y * mean(h, dims, True))
#: two_parts_scaled
#: only two of three parts are divided by the root. All that reaches x has gone through the
#: division: put brackets around the parts.
    return rstd * (h - mean(h, dims, True)) - y * mean(h * y, dims, True)
#: all_along_y
#: you multiply everything by y. Only the last part is along y.
    return rstd * y * (h - mean(h, dims, True) - mean(h * y, dims, True))
#: partly_detached
#: you detach a part of the answer. A second derivative then counts only some of the ways in which
#: the answer follows `y`.
    from norch_autograd.ops.dtype.convert import detach
    return rstd * (h - mean(h, dims, True) - y * detach(mean(h * y, dims, True)))
#: counted_by_hand
#: you count the group by hand. There may be a tensor without dimensions: `mean` knows how many
#: there are.
    from math import prod
    n = prod(h.array.shape[d] for d in dims)
    return rstd / n * (n * h - sum(h, dims, True) - y * sum(h * y, dims, True))
#: from_the_front_alone
#: you heed only dimensions that are counted from the front. They may be counted from the end: hand
#: `dims` on as it is.
    kept = tuple(d for d in range(h.array.ndim) if d in dims)
    return rstd * (h - mean(h, kept, True) - y * mean(h * y, kept, True))
#: tiny_added
#: you divide by the mean of y times y, and a tiny number. It is 1: nothing is left to divide by.
    return rstd * (h - mean(h, dims, True) - y * mean(h * y, dims, True) / (mean(y * y, dims, True) + 1e-5))
#: sum_over_count
#: you take a sum and divide it by the count. In half precision the sum of a large group is more
#: than the type can hold, where its mean is not: `mean` knows how.
    count = h.array.numel // max(1, rstd.array.numel)
    along = sum(h * y, dims, True) / max(1, count)
    return rstd * (h - sum(h, dims, True) / max(1, count) - y * along)
#: h_squared
#: your last mean is not that of h times y, which says how far h points along y.
    return rstd * (h - mean(h, dims, True) - y * mean(h * h * y, dims, True))
#: mean_unscaled
#: the mean of h is not divided by the root. All that reaches x has gone through the division: put
#: brackets around the parts.
    return (h - y * mean(h * y, dims, True)) * rstd - mean(h, dims, True)
