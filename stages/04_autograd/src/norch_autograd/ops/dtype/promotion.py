"""Which dtype several operands give: PyTorch's rule, without computing anything.

Tensors with dimensions decide first, then tensors without, then Python numbers: one further down
changes the result only if it is of a higher kind (bool, whole number, floating). Here too: what an
operation does with a number as its first operand, with `alpha` and factors, and with NumPy's values
or anything unknown as its second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import norch_cpu_ops
from norch_autograd.graph.operands import Number, Operand, number
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_autograd.ops.dtype.convert import to
from norch_autograd.types.dtype import get_default_dtype
from norch_cpu_ops import DType, bool_, int64, promote_types


def result_type(tensor1: Operand, tensor2: Operand) -> DType:
    """The dtype that arithmetic with these two (tensors or numbers) would give.

    >>> norch.result_type(norch.tensor([1, 2], dtype=norch.int32), 1.0)
    norch.float32
    """
    return common_dtype(tensor1, tensor2)


def common_dtype(*operands: Any) -> DType:
    """The dtype that arithmetic with all these operands, tensors or numbers, gives."""
    groups: list[list[DType]] = [[], [], []]
    for operand in operands:
        if isinstance(operand, Tensor):
            groups[0 if operand.array.ndim else 1].append(operand.array.dtype)
        elif isinstance(operand, (bool, int, float)):
            groups[2].append(_of_number(operand))
        else:
            kind = type(operand).__name__
            raise TypeError(f"[result_type] expected tensors or numbers, got {kind}")
    found: DType | None = None
    for group in reversed(groups):
        for dtype in group[1:]:
            group[0] = promote_types(group[0], dtype)
        if group:
            found = group[0] if found is None else _raise_kind(group[0], found)
    assert found is not None  # there is at least one operand
    return found


def _of_number(number: Any) -> DType:
    """The dtype a Python number counts as."""
    if isinstance(number, bool):
        return bool_
    return int64 if isinstance(number, int) else get_default_dtype()


def _raise_kind(above: DType, below: DType) -> DType:
    """The dtype `above`, promoted to the kind of `below` if that is the higher one."""
    if above.is_floating_point or not (above is bool_ or below.is_floating_point):
        return above
    return promote_types(above, below)


def can_cast(from_: DType, to: DType) -> bool:
    """Whether an edit in place may store one dtype in another: no fractions cut off, no numbers
    made True.

    >>> norch.can_cast(norch.float64, norch.float32), norch.can_cast(norch.float32, norch.int64)
    (True, False)
    """
    if not isinstance(from_, DType) or not isinstance(to, DType):
        raise TypeError(f"[can_cast] expected two dtypes, got {from_!r} and {to!r}")
    if from_.is_floating_point and not to.is_floating_point:
        return False
    return to is not bool_ or from_ is bool_


def of_operands(
    op: str, operator: Callable[[Any, Any], Tensor], input: Operand, other: Operand
) -> Tensor:
    """`operator(input, other)`; a number in front is promoted; TypeError for what is no operand."""
    if not isinstance(input, Tensor):
        input = promote_first(op, input, other)
    result = operator(input, other)
    if result is NotImplemented:
        raise TypeError(f"[{op}] expected a tensor or a number, got {type(other).__name__}")
    return result


def promote_first(op: str, input: Operand, other: Operand) -> Tensor:
    """The first operand; where it is a number beside a tensor, a tensor of the dtype of both."""
    if isinstance(input, Tensor):
        return input
    if not isinstance(input, (int, float)) or not isinstance(other, Tensor):
        raise TypeError(
            f"[{op}] expected a Tensor, got {type(input).__name__} and {type(other).__name__}: "
            "one of the two may be a number"
        )
    return plain(other.array.ops.full((), input, common_dtype(input, other)))


def scale(op: str, input: Tensor, other: Operand, alpha: Number) -> Operand:
    """`alpha * other` promoted to the dtype of `input + other`, for sums that take an `alpha`."""
    if not isinstance(input, Tensor):
        input = promote_first(op, input, other)
    dtype = input.array.dtype
    if not isinstance(other, Tensor) or other.array.dtype is not dtype:
        dtype = common_dtype(input, other)
    if type(alpha) is not float or not dtype.is_floating_point:
        alpha = check_factor(op, "alpha", alpha, dtype)
    if not isinstance(other, Tensor):
        return bool(other and alpha) if dtype is bool_ else other * alpha
    wide: Tensor = other if other.array.dtype is dtype else to(other, dtype)
    return wide & bool(alpha) if dtype is bool_ else wide * alpha


def whole_factor(op: str, factor: Number, dtype: DType) -> Number:
    """A factor converted for tensors of `dtype`: a fraction is cut off for whole ones."""
    factor = number(factor)
    if not isinstance(factor, (bool, int, float)):
        raise TypeError(f"[{op}] expected a number as factor, got {type(factor).__name__}")
    return factor if dtype.is_floating_point else int(factor)


def check_factor(op: str, name: str, factor: Number, dtype: DType) -> Number:
    """A factor as a number, promoted: its kind of dtype must be the result's or a lower one."""
    factor = number(factor)
    if not isinstance(factor, (bool, int, float)):
        raise TypeError(f"[{op}] {name} must be a number, got {type(factor).__name__}")
    if isinstance(factor, bool) and dtype is not bool_:
        raise RuntimeError(f"[{op}] a boolean {name} goes with boolean results only, not {dtype}")
    if isinstance(factor, float) and not dtype.is_floating_point:
        raise RuntimeError(
            f"[{op}] {name} is {factor}, but the result is {dtype}: expected a whole number"
        )
    return factor


def defer_operator(operator: Callable[[Any, Any], Tensor], input: Tensor, other: Any) -> Tensor:
    """An operator's answer to what is neither tensor nor number, before promotion: NumPy's values
    are taken, and of anything else Python asks the other side.
    """
    if hasattr(other, "__array__"):
        return operator(input, from_numpy(other, input.array))
    return NotImplemented  # type: ignore[no-any-return]


def from_numpy(other: Any, model: Any) -> Operand:
    """Before promotion, a NumPy array as a tensor beside `model`, a NumPy number as a number."""
    if getattr(other, "shape", None) == ():
        return other.item()  # type: ignore[no-any-return]
    return plain(model.ops.from_cpu(norch_cpu_ops.ops.from_buffer(other)))
