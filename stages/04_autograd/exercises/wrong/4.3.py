#: averaged | drops: the sum over the copies
#: you averaged over the copies. Each copy did its own work in the result, so their gradients add
#: up.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.mean(array, dims, True).view(strides.contiguous(wanted))
#: one_copy | drops: the gradient of all its copies
#: you took the gradient of one copy alone. All copies are the same element, and all of them were
#: used.
    extra = len(shape) - len(wanted)
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            array = array.view(strides.narrow(array.layout, k, 0, 1))
    return array.ops.clone(array).view(strides.contiguous(wanted))
#: ones_left | drops: in the shape `wanted`
#: the dimensions that broadcasting put in front are still there, with size 1. The gradient has the
#: shape of the operand: look at the sum in the shape `wanted`.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims, True)
#: whole_sum | drops: for each of its elements
#: you summed over all dimensions. Where the operand has elements of its own along a dimension,
#: each of them keeps its own gradient.
    return array.ops.sum(array, tuple(range(len(shape))), True).view(strides.contiguous(wanted))
#: as_a_tensor | drops: a bare array, no tensor
#: you call what only tensors have. Below the tensors there are bare arrays: `array.ops.sum` sums
#: them, `.view` shows them in another shape.
    extra = len(shape) - len(wanted)
    for _ in range(extra):
        array = array.sum(0)
    for k, size in enumerate(wanted):
        if size == 1:
            array = array.sum(k).unsqueeze(k)
    return array
#: only_in_front
#: you summed over the new dimensions in front alone. A dimension of size 1 that became longer
#: holds copies too.
    extra = len(shape) - len(wanted)
    if not extra:
        return array.view(strides.contiguous(wanted))
    return array.ops.sum(array, tuple(range(extra)), True).view(strides.contiguous(wanted))
#: only_size_one
#: you summed where the wanted size is 1 and forgot the dimensions that broadcasting put in front.
    extra = len(shape) - len(wanted)
    dims = tuple(k + extra for k, size in enumerate(wanted) if size == 1)
    if not dims:
        return array.view(strides.contiguous(wanted))
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: lined_up_in_front
#: you lined the shapes up at their beginnings. Broadcasting lines them up at the end: new
#: dimensions stand in front.
    dims = tuple(k for k in range(len(shape)) if k >= len(wanted) or wanted[k] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: dims_move
#: you sum one dimension after the other and drop each, so the numbers of those behind it no longer
#: fit. Collect the dimensions and sum once, or keep them with size 1.
    extra = len(shape) - len(wanted)
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            array = array.ops.sum(array, (k,), False)
    return array.view(strides.contiguous(wanted))
#: not_summed
#: you look at the gradient in the wanted shape without summing anything, and see its first
#: elements. The copies must be added up first.
    return array.view(strides.contiguous(wanted))
#: as_it_came
#: you return the gradient of all copies as it came. The operand has fewer elements: each gets the
#: sum over its copies.
    return array
#: one_number
#: you summed everything to one number. Name the dimensions to sum over: those that hold copies,
#: and no others.
    return array.ops.sum(array, None, False)
#: shift_forgotten
#: the numbers of your dimensions are those of the small operand. In the gradient they lie further
#: back, by as many as stand in front of them.
    extra = len(shape) - len(wanted)
    shorter = (k for k in range(len(wanted)) if wanted[k] != shape[k + extra])
    dims = tuple({*range(extra), *shorter})
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: only_longer
#: you look for dimensions that became longer. A size of 1 can become 0 as well: then there are no
#: copies, and their sum is 0. Ask whether the sizes differ.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] < shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: over_no_dimension
#: you call `sum` with an empty tuple of dimensions, and it takes that for all of them. Collect all
#: dimensions first, and sum once.
    extra = len(shape) - len(wanted)
    dims = tuple(range(extra))
    if dims:
        array = array.ops.sum(array, dims, True).view(strides.contiguous(shape[extra:]))
    dims = tuple(k for k in range(len(wanted)) if wanted[k] != array.shape[k])
    return array.ops.sum(array, dims, True)
#: in_another_dtype
#: your sums have another dtype than `array`. A gradient has the dtype in which it arrived.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    from norch_cpu_ops import float64
    return array.ops.sum(array.ops.cast(array, float64), dims, True).view(strides.contiguous(wanted))
#: mean_times_count
#: you multiply a mean by the number of copies. There may be no copies at all, and then there is no
#: mean: sum.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    n = 1
    for k in dims:
        n *= shape[k]
    return array.ops.mul(array.ops.mean(array, dims, True), n).view(strides.contiguous(wanted))
#: padded_with_ones
#: you put ones in front of `wanted` and ask where the sizes differ. A new dimension of size 1 does
#: not differ then, and `sum` takes an empty tuple for all dimensions. A new dimension is summed
#: whatever its size is.
    extra = len(shape) - len(wanted)
    padded = (1,) * extra + wanted
    dims = tuple(k for k in range(len(shape)) if padded[k] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: occurs_somewhere
#: you ask whether a size occurs anywhere in `wanted`. Two dimensions may have the same size:
#: compare those that are lined up at the end.
    dims = tuple(k for k, n in enumerate(shape) if n not in wanted)
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: no_view
#: you let the dimensions go that you sum over, also where the operand has size 1. Keep them, and
#: look at the sum in the shape `wanted`.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    found = array.ops.sum(array, dims, False)
    return found
#: largest
#: you take the largest of the copies' gradients. All copies did their work: sum.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.amax(array, dims, True).view(strides.contiguous(wanted))
#: either_or
#: you sum over the new dimensions OR over those of size 1. A shape can have both at once.
    extra = len(shape) - len(wanted)
    if extra:
        dims = tuple(range(extra))
    else:
        dims = tuple(k for k in range(len(shape)) if wanted[k] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: one_dimension_alone
#: you sum over one dimension alone. All that hold copies are summed over.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims[:1], True).view(strides.contiguous(wanted))
#: one_too_many
#: you sum over one dimension too many. With `extra` new ones in front, their numbers are 0 to extra
#: - 1.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k <= extra or wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: difference_turned
#: you take the difference of the lengths the wrong way round. The gradient has more dimensions than
#: the operand.
    extra = len(wanted) - len(shape)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: equal_sizes
#: you sum where the sizes are equal. Copies lie where they DIFFER.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] == shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: new_ones_kept
#: you forget the new dimensions in front. They hold copies as well, whatever their size is.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(extra, len(shape)) if wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: seen_in_its_old_shape
#: you look at the sum in the shape that it had before. It has fewer elements now: the shape
#: `wanted`.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if k < extra or wanted[k - extra] != shape[k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(shape))
#: turned_round
#: you compare sizes from the end, and then count dimensions from the front. Number k from the end
#: is `len(shape) - 1 - k`.
    dims = tuple(k for k in range(len(shape)) if k >= len(wanted) or wanted[::-1][k] != shape[::-1][k])
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
#: in_two_steps
#: you sum a second time where there may be nothing to sum over, and `sum` takes an empty tuple for
#: all dimensions. Collect all dimensions first, and sum once.
    extra = len(shape) - len(wanted)
    array = array.ops.sum(array, tuple(range(extra)), False)
    dims = tuple(k for k in range(len(wanted)) if wanted[k] == 1)
    return array.ops.sum(array, dims, True)
#: one_copy_times
#: you take one copy's gradient, as many times as there are copies. Each copy has its own: sum them.
    extra = len(shape) - len(wanted)
    n = 1
    for k in range(len(shape)):
        if k < extra or wanted[k - extra] != shape[k]:
            n *= shape[k]
            array = array.view(strides.narrow(array.layout, k, 0, min(1, shape[k])))
    return array.ops.mul(array, n).view(strides.contiguous(wanted))
#: two_in_front
#: you sum over two new dimensions at most. There may be any number of them.
    extra = len(shape) - len(wanted)
    dims = tuple(k for k in range(len(shape)) if (k < extra and k < 2) or (k >= extra and wanted[k - extra] != shape[k]))
    return array.ops.sum(array, dims, True).view(strides.contiguous(wanted))
