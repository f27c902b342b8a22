"""addcmul and addcdiv: a tensor plus a multiple of a product or quotient, in one kernel."""

from __future__ import annotations

from norch_autograd.graph.operands import Number, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.dtype.promotion import common_dtype, whole_factor


@in_own_name
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 * tensor2`.

    >>> norch.addcmul(norch.tensor([1.]), norch.tensor([2.]), norch.tensor([3.]), value=2)
    tensor([13.])
    """
    array_of(tensor1), array_of(tensor2)
    dtype = common_dtype(input, tensor1, tensor2)
    product = to(tensor1, dtype) * to(tensor2, dtype)
    return input + product * whole_factor("addcmul", value, dtype)


@in_own_name
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 / tensor2`.

    >>> norch.addcdiv(norch.tensor([1.]), norch.tensor([6.]), norch.tensor([3.]))
    tensor([3.])
    """
    whole = [not array_of(t, "addcdiv").dtype.is_floating_point for t in (tensor1, tensor2)]
    if all(whole):
        raise RuntimeError("[addcdiv] whole numbers are not divided: use div, or cast to float")
    dtype = common_dtype(input, tensor1, tensor2)
    return input + to(tensor1, dtype) / to(tensor2, dtype) * whole_factor("addcdiv", value, dtype)
