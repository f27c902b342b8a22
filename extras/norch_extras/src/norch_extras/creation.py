"""Further new tensors: from whatever has elements, from one number, at equal ratios.

The page book/library/tensors.md names them.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.creation.factories import as_tensor, ends_of, linspace, make_leaf, tensor
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.dtype.convert import clone, detach, to
from norch_autograd.ops.elementwise.power import pow
from norch_autograd.types.dtype import dtype_or_default
from norch_cpu_ops import DType, float64


@in_own_name
def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`base` to the power of `steps` numbers at equal distances from `start` to `end`.

    >>> norch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    start, end = ends_of("logspace", start, end, steps, dtype_or_default(dtype))
    exponents = linspace(start, end, steps, dtype=float64, device=device)
    return make_leaf(
        to(pow(float(base), exponents), dtype_or_default(dtype)).array, requires_grad, pin_memory
    )


def scalar_tensor(
    s: float, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor without dimensions, of the default dtype if none is given.

    >>> norch.scalar_tensor(3)
    tensor(3.)
    """
    return tensor(s, dtype=dtype_or_default(dtype), device=device, requires_grad=requires_grad)


def asarray(
    obj: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """`obj` (a tensor, an array, a buffer, numbers) as a tensor; memory is shared where it can be
    (a tensor is returned itself), unless `copy` is true. ValueError where `copy=False` cannot be
    kept. A tensor keeps its history; `requires_grad=False` cuts it off, `requires_grad=True` makes
    a leaf of what has none.

    >>> norch.asarray([1, 2])
    tensor([1, 2])
    """
    found = as_tensor(obj, dtype, device)
    if isinstance(obj, Tensor):
        shares = found.array.shares_storage(obj.array)
    else:  # NumPy says where its elements lie
        memory = getattr(obj, "__array_interface__", {"data": (None,)})["data"][0]
        shares = memory == found.array.data_ptr
    if copy is False and not shares:
        raise ValueError("[asarray] a copy is needed here, which copy=False forbids")
    if copy and shares:
        found = clone(found)
    if requires_grad is None or requires_grad == found.requires_grad:
        return found
    return make_leaf(detach(found).array, requires_grad)
