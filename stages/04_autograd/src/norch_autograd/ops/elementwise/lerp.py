"""A formula of three tensors: lerp. A composition: the operations inside record themselves."""

from __future__ import annotations

from norch_autograd.graph.operands import Operand, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise import power
from norch_autograd.ops.elementwise.where import where


@in_own_name
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`input + weight * (end - input)`.

    >>> norch.lerp(norch.tensor([0.]), norch.tensor([10.]), 0.25)
    tensor([2.5000])
    """
    for operand in (end, weight):
        if isinstance(operand, Tensor) and operand.array.dtype is not array_of(input).dtype:
            raise RuntimeError(
                f"[lerp] expected dtype {input.array.dtype} as input's, got {operand.array.dtype}"
            )
    way = end - input
    near = input + way * weight
    if not isinstance(weight, Tensor):
        return near if abs(weight) < 0.5 else end - way * (1 - weight)
    return where(power.abs(weight) < 0.5, near, end - way * (1 - weight))  # exact at both ends
