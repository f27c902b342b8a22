#: own_share | drops: -y_i y_j by score j
#: you treat each share as if it depended on its own score alone, as a sigmoid does. Raising one
#: score lowers all the other shares of the line.
        return (grad * y * (1 - y),)
#: no_others
#: you multiply by the share and stop. The shares of a line always add up to 1: what one gains the
#: others lose.
        return (grad * y,)
#: whole_sum | drops: Along the other dimensions nothing is shared
#: you sum over the whole tensor. Lines know nothing of each other: sum along `dim` alone, and keep
#: the dimension.
        weighted = grad * y
        return (weighted - y * sum(weighted),)
#: even_share
#: you take the same amount off every element of a line. Each element loses in proportion to its
#: own share.
        weighted = grad * y
        return (weighted - sum(weighted, dim, True),)
#: sum_of_grad
#: you sum the gradients as they are. What arrives at a share counts as much as the share is large.
        return (y * (grad - sum(grad, dim, True)),)
#: last_dim | drops: along `dim`
#: you sum along the last dimension whatever `dim` says. The shares of a line add up to 1 along
#: `dim`.
        weighted = grad * y
        return (weighted - y * sum(weighted, -1, True),)
#: no_grad | drops: `grad` is the gradient of `y`
#: what arrived does not count in your answer. The shares are somebody's input, and `grad` says how
#: much each of them matters there.
        return (y * (1 - y),)
#: no_tuple | drops: in a tuple of one
#: you return the tensor itself. A node answers with one gradient for each input, so also for a
#: single one it is a tuple: a comma makes it.
        weighted = grad * y
        return weighted - y * sum(weighted, dim, True)
#: only_others | drops: y_i (1 - y_i) by its own score
#: you count only what a score takes from the shares of its line, also from its own. Its own share
#: follows it by y_i (1 - y_i): the part y_i is missing.
        return (-y * sum(grad * y, dim, True),)
#: dim_lost
#: the dimension is gone after your sum, and what is left is lined up with the wrong elements. Keep
#: it with size 1: `sum(x, dim, True)`.
        weighted = grad * y
        return (weighted - y * sum(weighted, dim),)
#: not_weighed
#: you take off what the others lose and forget that each element is weighed by its own share.
        return (grad - sum(grad * y, dim, True),)
#: shares_overwritten | drops: `y` and `grad` stay what they are
#: you write into `y`, or into `grad`. Others hold both: `*` makes a new tensor, `*=` writes into
#: the old one.
        g = grad - sum(grad * y, dim, True)
        y *= g
        return (y,)
#: gradient_overwritten
#: you write into `grad`. Others hold it too: `-` makes a new tensor, `-=` writes into the old one.
        grad -= sum(grad * y, dim, True)
        return (grad * y,)
#: negative_dim
#: you treat a `dim` below 0 as if there were none. It counts from the end, and `sum` knows that:
#: hand it on as it is.
        weighted = grad * y
        total = sum(weighted, dim, True) if dim >= 0 else sum(weighted)
        return (weighted - y * total,)
#: put_back_by_hand
#: you put the dimension back by hand. A single number has none to put back: `sum(x, dim, True)`
#: keeps it where there is one.
        from norch_autograd.ops.shape.view import unsqueeze
        weighted = grad * y
        return (weighted - y * unsqueeze(sum(weighted, dim), dim),)
#: without_its_sign
#: you drop the sign of `dim`. A `dim` below 0 counts from the end: hand it on as it is.
        weighted = grad * y
        return (weighted - y * sum(weighted, abs(dim), True),)
#: detached | drops: detach nothing
#: you detach what the answer is made of. A recorded pass takes the derivative of your answer too,
#: and finds no way on from there.
        y = detach(y)
        return (y * (grad - sum(grad * y, dim, True)),)
#: others_added
#: you add what the line loses where it is to be taken away. What one share gains the others lose:
#: minus.
        weighted = grad * y
        return (weighted + y * sum(weighted, dim, True),)
#: negated
#: every sign is turned. A share's own weighed gradient is positive, the sum of the line is taken
#: off.
        return (y * sum(grad * y, dim, True) - grad * y,)
#: mean_off
#: you take the mean off every element of a line. Each element loses in proportion to its own share.
        n = y.array.shape[dim] if y.array.ndim else 1
        weighted = grad * y
        return (weighted - sum(weighted, dim, True) / n,)
#: dim_for_tables
#: you heed `dim` only in tables. A tensor may have any number of dimensions: hand `dim` on as it
#: is.
        weighted = grad * y
        return (weighted - y * sum(weighted, dim if y.array.ndim == 2 else -1, True),)
#: share_squared
#: you weigh the sum by the share twice. It is the sum of the WEIGHED gradients, times the share
#: once.
        weighted = grad * y
        return (weighted - y * y * sum(grad, dim, True),)
#: weighed_twice
#: you weigh an element's own part twice. It is y_i (1 - y_i): y_i alone, and the rest is in the
#: sum.
        weighted = grad * y
        return (weighted * y - y * sum(weighted, dim, True),)
#: softmax_again
#: you take the softmax of `y`. It is the result already: shares that add up to 1.
        e = exp(y)
        y = e / sum(e, dim, True)
        weighted = grad * y
        return (weighted - y * sum(weighted, dim, True),)
#: two_gradients
#: you return more than one gradient. A softmax has one input: a tuple of one.
        weighted = grad * y
        return (weighted - y * sum(weighted, dim, True), None)
#: weighed_sum_alone
#: you weigh what is taken off, and not what arrives. Each element of the answer is weighed by its
#: own share.
        return (grad - y * sum(grad, dim, True),)
#: own_share_twice
#: you take off what a share loses to itself twice: once in y (1 - y), once in the sum, which has
#: all shares of the line.
        return (y * (1 - y) * grad - y * sum(grad * y, dim, True),)
#: of_cross_entropy
#: you return share minus target. That is the gradient of cross entropy and softmax together; here
#: `grad` is the gradient of the shares.
        return (y - grad,)
#: first_dimension
#: you sum along dimension 0 whatever `dim` says. The shares of a line add up to 1 along `dim`.
        weighted = grad * y
        return (weighted - y * sum(weighted, 0, True),)
#: largest
#: you take the largest weighed gradient of a line. All of them count: the sum.
        weighted = grad * y
        return (weighted - y * amax(weighted, dim, True),)
#: share_once_too_often
#: you multiply the whole answer by the share once more. It is y times (grad less the sum of grad
#: y).
        return (y * (grad - sum(grad * y, dim, True)) * y,)
#: arrived_weighed_twice
#: what arrives is weighed by the share twice. It is y_i times grad_i, less y_i times the sum of the
#: line.
        return (y * (grad * y - sum(grad * y, dim, True)),)
#: own_gradient_off
#: you take off each element's own gradient where that of the whole line is meant. The sum is that
#: of grad times y.
        s = sum(y, dim, True)
        return (grad * y - y * s * grad,)
#: partly_detached
#: you detach a part of the answer. A second derivative then counts only one of the ways in which
#: the answer follows `y`.
        return (y * (grad - detach(sum(grad * y, dim, True))),)
#: largest_off
#: you take the largest off first, which a line without elements does not have. Nothing overflows
#: here that would need it.
        g = grad - amax(grad, dim, True)
        return (y * (g - sum(g * y, dim, True)),)
#: tiny_added
#: you add a tiny number. The shares add up to 1 and need no protection: the answer is then not
#: quite right.
        return (y * (grad - sum(grad * y, dim, True) / (sum(y, dim, True) + 1e-7)),)
#: gradient_for_share
#: you take the sum off in proportion to `grad`. Each element loses in proportion to its own SHARE,
#: `y`.
        weighted = grad * y
        return (weighted - grad * sum(weighted, dim, True),)
#: half_the_sum
#: you take half of the line's sum off. What the shares of a line gain and lose adds up to 0: all of
#: it.
        return (y * (grad - sum(grad * y, dim, True) / 2),)
