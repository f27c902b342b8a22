"""Edits of the shape in place: `x.t_()` lets x see its own storage another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from norch_autograd.graph.node import Node
from norch_autograd.graph.tensor_base import Tensor, wrap
from norch_autograd.graph.views import edge_of
from norch_autograd.ops.inplace.edit import editable
from norch_autograd.ops.shape.view import squeeze, t, transpose, unsqueeze


def relay(input: Tensor, function: Callable[..., Tensor], *args: Any) -> Tensor:
    """`input = function(input, *args)` for a function that returns a view."""
    editable(input, f"{function.__name__}_")
    edge = edge_of(input)
    old = wrap(input.array, input._requires_grad, edge if isinstance(edge, Node) else None)
    seen = function(old, *args)
    input.array, input.node = seen.array, seen.node
    return input


def squeeze_(input: Tensor, dim: Any = None) -> Tensor:
    """`squeeze` in place.

    >>> norch.zeros(1, 2).squeeze_().shape
    norch.Size([2])
    """
    return relay(input, squeeze, *(() if dim is None else (dim,)))


def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """`unsqueeze` in place.

    >>> norch.zeros(2).unsqueeze_(0).shape
    norch.Size([1, 2])
    """
    return relay(input, unsqueeze, dim)


def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` in place.

    >>> norch.zeros(1, 2).transpose_(0, 1).shape
    norch.Size([2, 1])
    """
    return relay(input, transpose, dim0, dim1)


def t_(input: Tensor) -> Tensor:
    """`t` in place.

    >>> norch.zeros(1, 2).t_().shape
    norch.Size([2, 1])
    """
    return relay(input, t)
