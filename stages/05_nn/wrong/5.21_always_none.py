    tensor.grad = None
