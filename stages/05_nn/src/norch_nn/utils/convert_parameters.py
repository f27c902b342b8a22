"""All parameters of a model as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from norch_autograd import Tensor, cat, no_grad
from norch_autograd.graph.operands import in_own_name


@in_own_name
def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the numbers of all parameters in one row; gradients flow back to each.

    >>> tuple(parameters_to_vector(nn.Linear(3, 2).parameters()).shape)
    (8,)
    """
    return cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy the numbers of `vec` into the parameters, one after the other.

    >>> layer = nn.Linear(1, 1)
    >>> vector_to_parameters(norch.tensor([2.0, 3.0]), layer.parameters()); layer.bias.item()
    3.0
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"[vector_to_parameters] a Tensor is expected, not {type(vec).__name__}")
    given = list(parameters)
    needed = sum(p.numel() for p in given)
    if vec.numel() < needed:
        raise RuntimeError(
            f"[vector_to_parameters] {needed} numbers are needed, the vector has {vec.numel()}"
        )
    start = 0
    with no_grad():
        for p in given:
            p.copy_(vec[start : start + p.numel()].reshape(tuple(p.shape)))
            start += p.numel()
