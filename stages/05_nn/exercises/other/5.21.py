#: one_assignment
#: one expression says what the gradient is afterwards: nothing, or the same tensor, overwritten.
#: All cases stand in one line; the tensor is assigned to itself for nothing.
    tensor.grad = None if set_to_none or grad is None else grad.fill_(0.0)
