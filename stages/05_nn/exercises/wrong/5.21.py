#: given | drops: has no gradient afterwards
#: the gradient is not gone: a variable was set to None, and the tensor does not know. Gradients of
#: all steps add up.
    if set_to_none:
        grad = None
    elif grad is not None:
        grad.mul_(0)
#: variable_alone
#: you mended the zeros. With `set_to_none` the gradient is still there: `grad = None` changes a
#: variable, not the tensor.
    if set_to_none:
        grad = None
    elif grad is not None:
        grad.zero_()
#: times_zero | drops: whatever stood in it
#: you reckon with what stood there. Nan times 0 is nan, and so is infinity minus infinity:
#: overwrite the numbers.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.mul_(0)
#: another_tensor | drops: the same tensor as before
#: you put another tensor in the gradient's place. Whoever holds the old one, as a captured graph
#: does, never sees the zeros.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        tensor.grad = grad.new_zeros(grad.shape)
#: always_none | drops: filled with zeros
#: you take the gradient away in both cases. Without `set_to_none` it stays, filled with zeros.
    tensor.grad = None
#: always_zeros
#: you fill with zeros in both cases. With `set_to_none` no gradient is left: a weight without one
#: is not moved at all.
    if grad is not None:
        grad.zero_()
#: none_fails | drops: if there is one
#: you do not ask whether there is a gradient.
    if set_to_none:
        tensor.grad = None
    else:
        grad.zero_()
#: made_up
#: you make a gradient of zeros where there was none. With momentum or weight decay such a weight
#: moves, and it should not.
    if set_to_none:
        tensor.grad = None
    elif grad is None:
        tensor.grad = tensor.new_zeros(tensor.shape)
    else:
        grad.zero_()
#: weights_zeroed
#: you set the weights to zero, and with them all that was learned.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        tensor.detach().zero_()
        grad.zero_()
#: mode_turned
#: you exchanged the two cases.
    if not set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.zero_()
#: zeros_in_a_variable
#: you give new zeros to a variable. The tensor keeps its gradient as it was: fill that one.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad = grad.new_zeros(grad.shape)
#: tensor_zeroed
#: you empty the tensor itself, which is the weight. It is its gradient that becomes zeros.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        tensor.zero_()
#: minus_itself
#: you reckon with what stood there. Nan times 0 is nan, and so is infinity minus infinity:
#: overwrite the numbers.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.sub_(grad.clone())
#: clamped
#: you reckon with what stood there. A comparison with nan is neither true nor false, and nan stays:
#: overwrite the numbers.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.clamp_(0, 0)
#: only_if_not_0
#: you ask a sum whether there is something to overwrite. 1 and -1 add up to 0 and are not 0.
    if set_to_none:
        tensor.grad = None
    elif grad is not None and grad.sum().item() != 0:
        grad.zero_()
#: rows_copied
#: you fill a copy where the numbers of the gradient do not lie one behind the other: `reshape`
#: copies then. Fill the gradient itself.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        grad.reshape(-1).zero_()
#: row_by_row
#: you go through the rows of the gradient. One of no dimensions has none: fill all of it at once.
    if set_to_none:
        tensor.grad = None
    elif grad is not None:
        for k in range(grad.shape[0]):
            grad[k] = 0.0
#: learns_no_more
#: you also switch off that the tensor learns. It gets a new gradient in the next backward.
    if set_to_none:
        tensor.grad = None
        tensor.requires_grad_(False)
    elif grad is not None:
        grad.zero_()
