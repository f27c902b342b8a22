"""Whole derivatives: the Jacobian and the Hessian of a function, row by row.

And `checkpoint`, which forgets what a function did and does it again when the derivative is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from norch_autograd.backward import backward, grad
from norch_autograd.function import Function
from norch_autograd.generator import get_rng_state, set_rng_state
from norch_autograd.graph import TensorBase
from norch_autograd.mode import enable_grad
from norch_autograd.ops.join import stack

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def jacobian(
    func: Callable[[Tensor], Tensor], inputs: Tensor, create_graph: bool = False
) -> Tensor:
    """Every derivative of every output: shape of the output, then shape of the input.

    >>> import norch_autograd as norch
    >>> norch.autograd.functional.jacobian(lambda x: x * x, norch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    x = inputs if create_graph and inputs.tracked else inputs.detach().requires_grad_()
    with enable_grad():
        y = func(x)
        rows = [
            grad(out, x, retain_graph=True, create_graph=create_graph, materialize_grads=True)[0]
            for out in y.reshape(-1)
        ]
    result: Tensor = stack([row for row in rows if row is not None])
    return result.reshape((*y.array.shape, *x.array.shape))


def hessian(func: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """Every second derivative of a function with one output.

    >>> import norch_autograd as norch
    >>> norch.autograd.functional.hessian(lambda x: (x ** 3).sum(), norch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def first(x: Tensor) -> Tensor:
        return jacobian(func, x, create_graph=True)

    return jacobian(first, inputs)


class _Again(Function):
    """Runs a function unrecorded; in backward, runs it again recorded."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], *args: Any) -> Any:
        ctx.function, ctx.state = function, get_rng_state()
        ctx.save_for_backward(*[a if isinstance(a, TensorBase) else None for a in args])
        ctx.others = [None if isinstance(a, TensorBase) else a for a in args]
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        pairs = zip(ctx.saved_tensors, ctx.others, strict=True)
        args = [b if a is None else a.detach().requires_grad_(a.tracked) for a, b in pairs]
        now = get_rng_state()
        set_rng_state(ctx.state)
        try:
            with enable_grad():
                found = ctx.function(*args)
        finally:
            set_rng_state(now)
        outputs = found if isinstance(found, tuple) else (found,)
        kept = [(out, g) for out, g in zip(outputs, grads, strict=True) if out.tracked]
        backward([out for out, _ in kept], [g for _, g in kept])
        return (None, *[a.stored_grad if isinstance(a, TensorBase) else None for a in args])


def checkpoint(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` that keeps only its arguments and is computed again during backward.

    Random numbers repeat; the gradients are the same, memory is traded for time.

    >>> import norch_autograd as norch
    >>> x = norch.ones(2, requires_grad=True)
    >>> norch.autograd.functional.checkpoint(lambda x: x.exp().sin(), x).sum().backward()
    >>> x.grad
    tensor([-2.4783, -2.4783])
    """
    return _Again.apply(function, *args)
