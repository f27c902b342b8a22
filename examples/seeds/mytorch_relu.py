"""MyTorch's ReLU with a switch: made of known operations, or with a backward of its own."""

import norch
from norch import Tensor


class ManualReLU(norch.autograd.Function):
    """max(x, 0), and the backward that MyTorch writes beside it."""

    @staticmethod
    def forward(ctx, x):
        """Keep x for the backward."""
        ctx.save_for_backward(x)
        out_data = norch.maximum(x, norch.zeros_like(x))
        return out_data

    @staticmethod
    def backward(ctx, input_grad):
        """Let the gradient pass where x is positive."""
        (x,) = ctx.saved_tensors
        grad_input = input_grad * (x > 0)
        return grad_input


def relu(x, auto=False):
    """Return max(x, 0)."""
    if auto:  # Use Autograd
        mask = Tensor(norch.where(x.data < 0, 0, 1).to(norch.float32))
        return x * mask

    else:  # Use manually defined backward pass
        return ManualReLU.apply(x)


for auto in (True, False):
    x = Tensor([-2.0, 0.5, 3.0], requires_grad=True)
    out = relu(x, auto)
    out.sum().backward()
    print(out)
    print(x.grad)
