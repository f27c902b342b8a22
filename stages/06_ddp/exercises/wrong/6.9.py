#: no_sum_backward | drops: The gradients of x
#: where rows are cut, the gradient of x is this rank's part of it alone. All ranks read x, so what
#: they ask of it must be added up.
    if weight.shard.dim == 0:
        return F.linear(x, weight, bias)
    total = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: no_sum_forward | drops: and so is the result
#: where columns are cut, each rank returns its own summand. The result is the sum over the ranks.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total = F.linear(x, weight)
    return total if bias is None else total + bias
#: ends_swapped
#: you took each function in the other's place. Where x is whole, forward needs no sum; where it is
#: cut, backward needs none.
    if weight.shard.dim == 0:
        return F.linear(Sum.apply(x, group), weight, bias)
    total = Copy.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: dims_swapped | drops: 0: `weight` is some rows of A
#: you took rows for columns: `dim` 0 of A are its rows, those of the result's columns.
    if weight.shard.dim == 1:
        return F.linear(Copy.apply(x, group), weight, bias)
    total = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: both_ends | drops: Each cut needs one of them, once
#: where columns are cut, you add gradients of x up that belong to different columns of it. Each
#: rank's x is its own: a sum in forward is all.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total = Sum.apply(F.linear(Copy.apply(x, group), weight), group)
    return total if bias is None else total + bias
#: copy_after
#: where rows are cut, you add up the gradients of the ranks' results, which are different columns.
#: What they share is x, in front of the product.
    if weight.shard.dim == 0:
        return Copy.apply(F.linear(x, weight, bias), group)
    total = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: sum_before | drops: 1: `weight` is some columns of A
#: where columns are cut, you add up the inputs, which are different columns of a whole. What must
#: be added up are the products.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total = F.linear(Sum.apply(x, group), weight)
    return total if bias is None else total + bias
#: bias_on_every_rank | drops: `bias` is all of a, on every rank
#: every rank adds the bias before the sum, so the result has it N times.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    return Sum.apply(F.linear(x, weight, bias), group)
#: bias_divided | drops: weight and bias, too, must be those of one process
#: each rank adds an Nth of the bias. The result is right, and the bias's gradient is an Nth of
#: what it should be: it learns too slowly.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    part = F.linear(x, weight)
    return Sum.apply(part if bias is None else part + bias / group.size, group)
#: bias_of_rank_0
#: only rank 0 adds the bias. The result is right, and on the other ranks the bias gets no
#: gradient: after a step it is not the same everywhere.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    return Sum.apply(F.linear(x, weight, bias if group.rank == 0 else None), group)
#: bias_forgotten
#: where columns are cut, the bias is missing.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    return Sum.apply(F.linear(x, weight), group)
#: bias_always | drops: `bias` may be None
#: you add a bias that is None: a Linear may have none.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total = Sum.apply(F.linear(x, weight), group)
    return total + bias
#: rows_without_bias | drops: `bias` the same part of a
#: where rows are cut, the bias is missing.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight)
    total = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: two_dimensions
#: you count on two dimensions. x is (..., in), with any number of them in front.
    samples, _ = x.shape
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: single_precision
#: you reckon in float32, whatever the dtype of x is.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group).float(), weight.float(), None if bias is None else bias.float())
    total: Tensor = Sum.apply(F.linear(x.float(), weight.float()), group)
    return total if bias is None else total + bias
#: one_sample_at_a_time
#: you stack the results of single samples, and there may be no sample.
    from norch_autograd import stack

    if weight.shard.dim == 0:
        seen = Copy.apply(x, group)
        return stack([F.linear(row, weight, bias) for row in seen.unbind(0)])
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: weight_copied
#: where columns are cut, you add up the gradients of the weight. Each rank has other columns of it:
#: no sum.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, Copy.apply(weight, group)), group)
    return total if bias is None else total + bias
#: bias_copied
#: where columns are cut, you add up the gradients of the bias. Every rank has all of its gradient
#: already: what is behind the sum is the same everywhere.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + Copy.apply(bias, group)
#: always_rows
#: you treat every weight as if its rows were cut. `weight.shard.dim` says how it is cut.
    if weight.shard.dim >= 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: always_columns
#: you treat every weight as if its columns were cut. `weight.shard.dim` says how it is cut.
    if weight.shard.dim < 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
#: bias_subtracted
#: you subtract the bias.
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total - bias
