"""Edits in place, under PyTorch's names with the underscore.

Nothing recorded: stage 2 edits the storage. Recorded: the new value is computed out of place, so
that whatever the derivative keeps stays whole, then stored; the edited tensor takes over its
history. A leaf that wants gradients refuses. The storage's version goes up either way: a kept value
that was edited is found out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import norch_strides as strides
from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.family import set_name
from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Number, Operand, in_own_name
from norch_autograd.graph.record import record, should_record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain, wrap
from norch_autograd.graph.views import both_from_zero, edge_of, refresh_view, relayout, set_history
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import to, transfer
from norch_autograd.ops.dtype.promotion import can_cast, scale
from norch_autograd.ops.elementwise.arithmetic import add, div, mul, sub
from norch_autograd.ops.elementwise.power import pow
from norch_autograd.ops.elementwise.where import clamp, masked_fill
from norch_autograd.ops.shape.view import squeeze, t, transpose, unsqueeze


def editable(input: Tensor, op: str, *others: Any) -> None:
    """Refuse to edit, while recording, a leaf that wants gradients, a view of one (also of one that
    is a view itself, of data), or a view whose base could not be told. `others` take part in the
    edit.
    """
    array_of(input, op)
    base, then, why_not = input.base or (input, input.node, None)
    operands = (input, base, *(other for other in others if isinstance(other, Tensor)))
    if not should_record(operands):
        return
    if why_not is not None:
        raise RuntimeError(f"[{op}] a view cannot be edited in place: {why_not}")
    of_a_leaf = base.node is None and (base._requires_grad or input._requires_grad)
    if of_a_leaf or (input._requires_grad and input.node is None and base.node is then):
        what = "a view of a leaf Variable" if of_a_leaf and base is not input else "a leaf Variable"
        raise RuntimeError(
            f"[{op}] {what} that requires grad is being used in an in-place operation; "
            "edit it inside no_grad(), or edit a clone"
        )


class CopySlices(Node):
    """The base after an edit of one of its views: the gradient inside the part goes to the edit,
    the rest to the base.
    """

    public_name = "CopySlices"

    def backward(self, grad: Tensor) -> Gradients:
        base, view = self.context
        dpart = relayout(grad, base, view) if self.needs(1) else None
        if not self.needs(0):
            return None, dpart
        inside = relayout(constant(grad, 1, view.shape), view, base)
        return masked_fill(grad, inside != 0, 0), dpart


def rebase(view: Tensor, node: Node | None) -> None:
    """After an edit in place of `view`: it comes from `node` now, and so does its base's part."""
    if view.base is None:
        set_history(view, node)
        return
    base = view.base[0]
    layouts = both_from_zero(base.array.layout, view.array.layout)
    set_history(base, CopySlices((edge_of(base), node), (), layouts))
    refresh_view(view)


def clone_with_history(input: Tensor) -> Tensor:
    """A copy of the tensor about to be edited, with the same history in the graph."""
    edge = edge_of(input)
    node = edge if isinstance(edge, Node) else None
    return wrap(input.array.ops.clone(input.array), node is not None, node)


def take_over(input: Tensor, result: Tensor, op: str) -> Tensor:
    """Store an edit's result in the tensor that is edited, its history in the graph included."""
    x, y = input.array, result.array
    if y.shape != x.shape:
        raise RuntimeError(
            f"[{op}] the result's shape {y.shape} does not fit into shape {x.shape} in place"
        )
    if not can_cast(y.dtype, x.dtype):
        raise RuntimeError(
            f"[{op}] result type {y.dtype} can't be cast to the desired output type {x.dtype}"
        )
    x.ops.copy_(x, y)
    if result._requires_grad:
        rebase(input, to(result, x.dtype).node)
    elif should_record((input,)):  # new values that come from no tensor
        rebase(input, unary(Fill, x, input).node)
    return input


def edit(
    input: Tensor, function: Callable[..., Tensor], *args: Any, op: str = "", **options: Any
) -> Tensor:
    """`input = function(input, *args)`, in `input`'s own storage; errors speak of `op`."""
    name = op or function.__name__ + "_"
    array_of(input, name)
    given = (*args, *options.values())
    editable(input, name, *given)
    if options.get("dtype", input.array.dtype) not in (None, input.array.dtype):
        raise RuntimeError(f"[{name}] {options['dtype']} is not the dtype of what is edited")
    operands = (input, *(arg for arg in given if isinstance(arg, Tensor)))
    old = clone_with_history(input) if should_record(operands) else plain(input.array)
    return take_over(input, function(old, *args, **options), name)


def is_recorded(input: Tensor, other: Operand, op: str) -> bool:
    """Whether an edit must go through the record; RuntimeError if it must not happen at all."""
    array_of(input, op)
    if input.base is not None:
        editable(input, op, other)
    operand = other if isinstance(other, Tensor) else None
    wanted = input._requires_grad or (operand is not None and operand._requires_grad)
    return wanted and should_record((input, operand))


def write(array: Any, value: Any, non_blocking: bool = False) -> None:
    """Write a number, or a tensor's elements, broadcast and cast, into an array, unrecorded."""
    if not isinstance(value, Tensor):
        if 0 in array.strides:  # what is expanded is written once
            pairs = zip(array.shape, array.strides, strict=True)
            once = tuple(min(size, 1) if stride == 0 else size for size, stride in pairs)
            array = array.view(strides.Layout(once, array.strides, array.layout.offset))
        array.ops.fill_(array, value)
        return
    given = value.array
    if given.device == array.device:
        array.ops.copy_(array, given)
    elif array.device != "cpu":
        array.ops.copy_(array, transfer(given, array.device, non_blocking))
    elif array.is_contiguous and (array.shape, array.dtype) == (given.shape, given.dtype):
        given.ops.to_cpu(given, non_blocking, array)
    else:
        array.ops.copy_(array, given.ops.to_cpu(given))


def add_(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """`input += alpha * other`.

    >>> norch.ones(2).add_(norch.ones(2), alpha=3)
    tensor([4., 4.])
    """
    if alpha != 1:
        other = scale("add_", input, other, alpha)
    if is_recorded(input, other, "add_"):
        return edit(input, add, other)
    input.array.ops.add_(input.array, other.array if isinstance(other, Tensor) else other)
    return input


def sub_(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """`input -= alpha * other`.

    >>> norch.ones(2).sub_(3)
    tensor([-2., -2.])
    """
    if alpha != 1:
        other = scale("sub_", input, other, alpha)
    if is_recorded(input, other, "sub_"):
        return edit(input, sub, other)
    input.array.ops.sub_(input.array, other.array if isinstance(other, Tensor) else other)
    return input


def mul_(input: Tensor, other: Operand) -> Tensor:
    """`input *= other`.

    >>> norch.ones(2).mul_(3)
    tensor([3., 3.])
    """
    if is_recorded(input, other, "mul_"):
        return edit(input, mul, other)
    input.array.ops.mul_(input.array, other.array if isinstance(other, Tensor) else other)
    return input


def div_(input: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """`input /= other`, rounded as `div` rounds.

    >>> norch.ones(2).div_(4)
    tensor([0.2500, 0.2500])
    """
    if rounding_mode is not None:
        return edit(input, div, other, rounding_mode=rounding_mode)
    if is_recorded(input, other, "div_"):
        return edit(input, div, other)
    input.array.ops.div_(input.array, other.array if isinstance(other, Tensor) else other)
    return input


class Fill(Node):
    """What was overwritten has the gradient 0."""

    def backward(self, grad: Tensor) -> Gradients:
        return (constant(grad, 0),)


def fill_(input: Tensor, value: Operand) -> Tensor:
    """Every element becomes `value`.

    >>> norch.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value.array.ndim:
            raise RuntimeError(f"[fill_] expected no dimensions, got shape {value.array.shape}")
        return copy_(input, value)
    if not is_recorded(input, value, "fill_"):
        write(input.array, value)
        return input
    return overwrite(input, "fill_", lambda x: x.ops.fill_(x, value))


def zero_(input: Tensor) -> Tensor:
    """Every element becomes 0.

    >>> norch.ones(2).zero_()
    tensor([0., 0.])
    """
    if not is_recorded(input, 0, "zero_"):
        write(input.array, 0)
        return input
    return overwrite(input, "zero_", lambda x: x.ops.fill_(x, 0))


def overwrite(input: Tensor, op: str, write: Callable[[Any], Any]) -> Tensor:
    """Let `write` give the array new values that depend on no tensor."""
    editable(input, op)
    history = unary(Fill, input.array, input).node
    write(input.array)
    if history is not None:
        rebase(input, history)
    return input


class Copy(Node):
    """The whole gradient goes to what was copied."""

    def backward(self, grad: Tensor) -> Gradients:
        shape, device, dtype = self.context
        return (to(sum_to_shape(grad, shape), device, dtype),)


def copy_(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """`input` gets the elements of `src`, broadcast and cast.

    `non_blocking`: see `to`.

    >>> norch.zeros(2, 2).copy_(norch.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    if not isinstance(src, Tensor):
        return fill_(input, src)
    if not is_recorded(input, src, "copy_"):
        write(input.array, src, non_blocking)
        return input
    editable(input, "copy_", src)
    x, y = input.array, src.array
    history = record(Copy, x, (src,), (), (y.shape, y.device, y.dtype)).node
    if history is None and should_record((input,)):
        history = unary(Fill, x, input).node
    write(x, src, non_blocking)
    if history is not None and x.dtype.is_floating_point:
        rebase(input, history)
    return input


def in_place(function: Callable[..., Tensor], **fixed: Any) -> Callable[..., Tensor]:
    """`function`, whose result is stored in its first argument; `fixed` are options not to give."""

    @functools.wraps(function)
    def wrapper(input: Any, *args: Any, **options: Any) -> Tensor:
        return edit(input, function, *args, **fixed, **options)

    set_name(wrapper, f"{function.__name__}_")
    wrapper.__doc__ = f"`{function.__name__}` in place: the first argument is edited and returned."
    return in_own_name(wrapper) if fixed else wrapper  # a fixed option may be given once more


def without_record(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function` in place, unseen by the record, as PyTorch's: gradients pass as if nothing was."""
    edit_in_place = in_place(function)

    @functools.wraps(edit_in_place)
    def wrapper(input: Any, *args: Any, **options: Any) -> Tensor:
        with no_grad():
            return edit_in_place(input, *args, **options)

    wrapper.__doc__ = f"{wrapper.__doc__} The record does not see it: gradients pass unchanged."
    return wrapper


def view_in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, which shows its first argument in another shape, as an edit of that shape."""

    @functools.wraps(function)
    def wrapper(input: Tensor, *args: Any, **options: Any) -> Tensor:
        editable(input, wrapper.__name__)
        edge = edge_of(input)
        old = wrap(input.array, input._requires_grad, edge if isinstance(edge, Node) else None)
        view = function(old, *args, **options)
        input.array, input.node = view.array, view.node
        return input

    set_name(wrapper, f"{function.__name__}_")
    wrapper.__doc__ = f"`{function.__name__}` in place: the first argument has the new shape."
    return wrapper


pow_ = in_place(pow)
clamp_ = in_place(clamp)
masked_fill_ = in_place(masked_fill)
squeeze_ = view_in_place(squeeze)
unsqueeze_ = view_in_place(unsqueeze)
transpose_ = view_in_place(transpose)
t_ = view_in_place(t)
