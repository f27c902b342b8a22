"""New tensors from few words: evenly or evenly multiplied numbers, one number, data of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.creation import as_tensor, linspace, made, tensor
from norch_autograd.dtype import DType, chosen, float64
from norch_autograd.graph import TensorBase
from norch_autograd.ops.power import pow

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`base` to the power of `steps` numbers at equal distances from `start` to `end`.

    >>> import norch_autograd as norch
    >>> norch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    exponents = linspace(start, end, steps, dtype=float64, device=device)
    return made(pow(float(base), exponents).to(chosen(dtype)).array, requires_grad)


def scalar_tensor(
    s: float, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor without dimensions, of the default dtype if none is given.

    >>> import norch_autograd as norch
    >>> norch.scalar_tensor(3)
    tensor(3.)
    """
    return tensor(s, dtype=chosen(dtype), device=device, requires_grad=requires_grad)


def asarray(
    obj: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """`obj` (a tensor, an array, a buffer, numbers) as a tensor; memory is shared where it can be,
    unless `copy` is true. ValueError where `copy=False` cannot be kept. A tensor keeps its history;
    `requires_grad=False` cuts it off, `requires_grad=True` makes a leaf of what has none.

    >>> import norch_autograd as norch
    >>> norch.asarray([1, 2])
    tensor([1, 2])
    """
    found = as_tensor(obj, dtype, device)
    if isinstance(obj, TensorBase):
        shares = found.array.shares_storage(obj.array)
    else:  # NumPy says where its elements lie
        memory = getattr(obj, "__array_interface__", {"data": (None,)})["data"][0]
        shares = memory == found.data_ptr()
    if copy is False and not shares:
        raise ValueError("[asarray] a copy is needed here, which copy=False forbids")
    if copy and shares:
        found = found.clone()
    if requires_grad is None or requires_grad == found.requires_grad:
        return found
    return made(found.detach().array, requires_grad)
