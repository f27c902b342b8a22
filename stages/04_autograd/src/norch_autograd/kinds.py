"""What PyTorch's scripts ask of a tensor beside its numbers: where its memory is, of what kind it
is. norch has one kind: dense, strided, in ordinary memory.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from norch_autograd.attributes import Described
from norch_autograd.dtype import DType
from norch_autograd.memory import contiguous_format, lies_in, memory_format as MemoryFormat

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


_TYPES = {
    "float32": "FloatTensor",
    "float64": "DoubleTensor",
    "float16": "HalfTensor",
    "bfloat16": "BFloat16Tensor",
    "int64": "LongTensor",
    "int32": "IntTensor",
    "uint8": "ByteTensor",
    "bool": "BoolTensor",
}


class Kinds(Described):
    """Questions about memory and kind."""

    __slots__ = ()

    @property
    def is_cpu(self) -> builtins.bool:
        """Whether it lives in ordinary memory."""
        return self.device.type == "cpu"

    @property
    def is_sparse(self) -> builtins.bool:
        """Whether zeros are left out: never."""
        return False

    @property
    def is_quantized(self) -> builtins.bool:
        """Whether elements are rounded to a few levels: never."""
        return False

    @property
    def is_meta(self) -> builtins.bool:
        """Whether there are no elements, only a shape: never."""
        return False

    def get_device(self) -> builtins.int:
        """The number of its GPU, -1 on the CPU."""
        return -1 if self.is_cpu else int(self.device.index or 0)

    def is_pinned(self) -> builtins.bool:
        """Whether its memory is locked for copies to a GPU: never."""
        return False

    def pin_memory(self) -> Tensor:
        """The tensor itself: copies to a GPU need no locked memory here."""
        return self  # type: ignore[return-value]

    def is_shared(self) -> builtins.bool:
        """Whether processes share its memory: only a GPU's is."""
        return not self.is_cpu

    def is_nonzero(self) -> builtins.bool:
        """Whether its only element is not zero."""
        return bool(self)

    def is_contiguous(self, *, memory_format: MemoryFormat = contiguous_format) -> builtins.bool:
        """Whether its elements lie row by row without gaps, or in the order asked for."""
        if memory_format is contiguous_format:
            return self.array.is_contiguous  # type: ignore[no-any-return]
        return lies_in(self, memory_format)

    def type(self, dtype: Any = None, non_blocking: builtins.bool = False) -> Any:
        """PyTorch's old name of the dtype, "norch.FloatTensor"; given one, or a dtype, the tensor
        converted to it.

        >>> import norch_autograd as norch
        >>> norch.ones(1).type(), norch.ones(1).type("norch.LongTensor")
        ('norch.FloatTensor', tensor([1]))
        """
        if dtype is None:
            place = "norch" if self.is_cpu else "norch.cuda"
            return f"{place}.{_TYPES[self.dtype.name]}"
        return self.to(_of_type(dtype))  # type: ignore[attr-defined]


def _of_type(name: Any) -> DType:
    """The dtype that is meant by a dtype, an old name, or a constructor such as FloatTensor."""
    import norch_cpu_ops
    from norch_autograd.dtype import named

    if isinstance(name, DType) or name in (float, int, bool):
        return named(name)  # type: ignore[return-value]
    last = (name if isinstance(name, str) else getattr(name, "__name__", "")).split(".")[-1]
    for dtype, old in _TYPES.items():
        if last in (old, dtype):
            return getattr(norch_cpu_ops, "bool_" if dtype == "bool" else dtype)  # type: ignore
    raise ValueError(f"[type] {name!r} is no dtype: expected one, or a name as norch.FloatTensor")
