"""What a tensor can tell about itself, and how it turns back into Python's and NumPy's values.

`Described` and `MemoryAttributes` stand between the bare state (graph/tensor_base.py) and `Tensor`.
norch has one kind of tensor: dense, strided, in ordinary memory; the rest is for scripts that ask.
"""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import Any

import norch_cpu_ops
from norch_autograd.graph.node import Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, TensorBase, array_of, plain
from norch_autograd.graph.views import edge_of, require_grad
from norch_autograd.tensor.storage import Storage, storage_of
from norch_autograd.types.device import as_device
from norch_autograd.types.dtype import as_dtype as named_dtype
from norch_autograd.types.errors import refusal
from norch_autograd.types.memory_format import (
    contiguous_format,
    lies_in,
    memory_format as MemoryFormat,
)
from norch_cpu_ops import DType


class Described(TensorBase):
    """A tensor's attributes; no operations yet."""

    __slots__ = ()

    @property
    def itemsize(self) -> builtins.int:
        """Bytes per element of the tensor."""
        return self.array.itemsize  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all the tensor's elements."""
        return self.array.nbytes  # type: ignore[no-any-return]

    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the tensor lives on a GPU."""
        return as_device(self.array.device).type == "cuda"

    @property
    def is_mps(self) -> builtins.bool:
        """Whether the tensor lives on a Mac's or an Intel GPU: no, norch has no kernels for it."""
        return False

    is_xpu = is_mps

    @property
    def requires_grad(self) -> builtins.bool:
        """Whether gradients are computed for the tensor."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, wanted: builtins.bool) -> None:
        if not isinstance(wanted, bool):
            raise RuntimeError(
                f"[requires_grad] expected True or False, got {type(wanted).__name__}"
            )
        if wanted:
            require_grad(self)  # type: ignore[arg-type]  # every `Described` is a `Tensor`
        elif self.node is not None:
            raise RuntimeError(
                "[requires_grad] you can only change requires_grad flags of leaf variables; "
                "use detach() to leave the graph"
            )
        self._requires_grad = wanted

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have added up; None before the first."""
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            if not isinstance(grad, TensorBase):
                raise TypeError(f"[grad] expected a Tensor or None, got {type(grad).__name__}")
            if grad is self:
                raise RuntimeError("[grad] a tensor cannot be its own gradient; detach() it first")
            if not grad.array.alike(self.array):
                raise RuntimeError(
                    f"[grad] a gradient of shape {grad.array.shape} and {grad.array.dtype} does "
                    f"not belong to a tensor of shape {self.array.shape} and {self.array.dtype}"
                )
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def is_leaf(self) -> builtins.bool:
        """Whether no recorded operation made the tensor."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node that made the tensor; None for a leaf."""
        edge_of(self)  # type: ignore[arg-type]  # a view whose base was edited moves now
        return self.node  # type: ignore[no-any-return]

    @property
    def output_nr(self) -> builtins.int:
        """Which output of the tensor's node it is: here every output has a node of its own."""
        return 0

    @property
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of."""
        return None if self.base is None else self.base[0]

    def _is_view(self) -> builtins.bool:
        """Whether the tensor is a view of another tensor."""
        return self.base is not None

    @property
    def _version(self) -> builtins.int:
        """How often the tensor's memory was edited in place."""
        return self.array.version  # type: ignore[no-any-return]

    def size(self, dim: builtins.int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return self.shape
        shape = self.array.shape
        try:
            if -len(shape) <= dim < len(shape):
                return shape[dim]
        except (TypeError, RuntimeError):
            words = f"expected int | None, got {type(dim).__name__}"
            raise refusal(TypeError, "size", words, "dim") from None
        raise IndexError(f"[size] dim {dim} is out of range for {len(shape)} dimensions")

    def dim(self) -> builtins.int:
        """How many dimensions the tensor has."""
        return self.array.ndim  # type: ignore[no-any-return]

    def numel(self) -> builtins.int:
        """How many elements the tensor has."""
        return self.array.numel  # type: ignore[no-any-return]

    nelement = numel
    ndimension = dim

    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether both have the same shape."""
        return self.array.shape == array_of(other, "is_same_size").shape  # type: ignore[no-any-return]

    def is_signed(self) -> builtins.bool:
        """Whether the tensor's elements can be negative."""
        return self.array.dtype.name not in ("bool", "uint8")

    def is_complex(self) -> builtins.bool:
        """Whether the tensor's elements are complex numbers: no."""
        return False

    @in_own_name
    def stride(self, dim: builtins.int | None = None) -> Any:
        """How far apart in memory neighbours along each dimension are, in elements."""
        strides = self.array.strides
        if dim is None:
            return strides
        if not -len(strides) <= dim < len(strides):
            raise IndexError(f"[stride] dim {dim} is out of range for {len(strides)} dimensions")
        return strides[dim]

    def storage_offset(self) -> builtins.int:
        """Where the tensor's first element stands in its storage."""
        return self.array.offset  # type: ignore[no-any-return]

    def untyped_storage(self) -> Storage:
        """The memory that the tensor and its views share, as bytes."""
        return storage_of(self.array)

    def data_ptr(self) -> builtins.int:
        """The address of the tensor's first element."""
        return self.array.data_ptr  # type: ignore[no-any-return]

    def element_size(self) -> builtins.int:
        """Bytes per element of the tensor."""
        return self.array.itemsize  # type: ignore[no-any-return]

    def is_floating_point(self) -> builtins.bool:
        """Whether the tensor's elements are floating-point numbers."""
        return self.array.dtype.is_floating_point  # type: ignore[no-any-return]

    def item(self) -> Any:
        """The tensor's only element as a Python number; RuntimeError if it has more or none."""
        return self.array.item()

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self.array.tolist()

    def numpy(self, *, force: builtins.bool = False) -> Any:
        """A NumPy array that shares its memory; not for a tensor with history, nor off the CPU,
        unless `force`: then `detach().cpu()` comes first.
        """
        if self._requires_grad and not force:
            raise RuntimeError(
                "[numpy] can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead."
            )
        array = self.array.ops.to_cpu(self.array) if force else self.array
        if array.device != "cpu":
            raise TypeError(
                f"[numpy] can't convert a tensor on {array.device} to numpy; use .cpu() first"
            )
        import numpy

        return numpy.asarray(array)

    def __dlpack__(self, **options: Any) -> Any:
        if self._requires_grad:
            raise BufferError(
                "[__dlpack__] can't export tensors that require gradient, use tensor.detach()"
            )
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        found: tuple[builtins.int, builtins.int] = self.array.__dlpack_device__()
        return found

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """What CuPy and Numba ask for: where the elements lie on a GPU; absent elsewhere."""
        if not self.array.device.startswith("cuda:"):
            raise AttributeError(
                f"[__cuda_array_interface__] the tensor is on {self.array.device}, not on a GPU"
            )
        if self._requires_grad:
            raise RuntimeError(
                "[__cuda_array_interface__] can't export tensors that require gradient, use "
                "tensor.detach()"
            )
        found: dict[str, Any] = self.array.ops.as_cupy(self.array).__cuda_array_interface__
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        found = self.numpy()
        if dtype is not None and dtype != found.dtype:
            return found.astype(dtype)
        return found.copy() if copy else found

    def __array_wrap__(self, array: Any, *context: Any) -> Any:
        """What NumPy's functions make of it, as a tensor; bools as bytes, as in PyTorch."""
        found = array.astype("uint8") if array.dtype == bool else array
        return plain(self.array.ops.from_cpu(norch_cpu_ops.ops.share_buffer(found)))

    def __len__(self) -> builtins.int:
        if self.array.ndim == 0:
            raise TypeError("[len] a tensor without dimensions has no length")
        return self.array.shape[0]  # type: ignore[no-any-return]

    def __bool__(self) -> builtins.bool:
        if self.array.numel != 1:
            what = "no" if self.array.numel == 0 else "more than one"
            raise RuntimeError(
                f"[bool] boolean value of a tensor with {what} value is ambiguous; "
                "use any() or all()"
            )
        return bool(self.array.item())

    def __int__(self) -> builtins.int:
        return int(self._one_number("int"))

    def __float__(self) -> builtins.float:
        if self.requires_grad:
            words = "[float] a number has no gradient: this tensor's is lost; detach() says so"
            warnings.warn(words, stacklevel=2)
        return float(self._one_number("float"))

    def _one_number(self, name: str) -> Any:
        """The only element of a tensor, for `int(x)` and `float(x)`."""
        if self.array.numel != 1:
            raise ValueError(
                f"[{name}] only a tensor of one element converts to a Python number, "
                f"got shape {self.array.shape}"
            )
        return self.array.item()

    def __index__(self) -> builtins.int:
        if self.array.dtype.is_floating_point or self.array.numel != 1:
            raise TypeError(
                "[index] only a tensor of one whole number can be an index, "
                f"got shape {self.array.shape} of {self.array.dtype}"
            )
        return int(self.array.item())

    __hash__ = object.__hash__  # by identity


_TYPES = {
    "float32": "FloatTensor",
    "float64": "DoubleTensor",
    "float16": "HalfTensor",
    "bfloat16": "BFloat16Tensor",
    "int64": "LongTensor",
    "int32": "IntTensor",
    "int16": "ShortTensor",
    "int8": "CharTensor",
    "uint8": "ByteTensor",
    "bool": "BoolTensor",
}


class MemoryAttributes(Described):
    """Predicates about memory and layout."""

    __slots__ = ()

    @property
    def is_cpu(self) -> builtins.bool:
        """Whether the tensor lives in ordinary memory."""
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
        """The number of the tensor's GPU, -1 on the CPU."""
        return -1 if self.is_cpu else int(self.device.index or 0)

    def is_pinned(self) -> builtins.bool:
        """Whether the tensor lies in pinned memory of the CPU: `pin_memory`."""
        # Who has not loaded the module has pinned nothing.
        if "norch_cuda.runtime.pinned" not in sys.modules or not self.is_cpu:
            return False
        from norch_cuda.runtime.pinned import is_pinned

        return is_pinned(self.array)

    def record_stream(self, stream: Any) -> None:
        """Let its memory, once nobody holds it, wait for what a GPU's stream was given by then.

        Call it where a tensor of one stream is used in another; the memory is given out again in
        the order of the stream that made it.
        """
        from norch_cuda.devices.memory import record_stream

        record_stream(self.array, stream)

    def is_shared(self) -> builtins.bool:
        """Whether processes share the tensor's memory: only a GPU's is."""
        return not self.is_cpu

    def is_nonzero(self) -> builtins.bool:
        """Whether the tensor's only element is not zero."""
        return bool(self)

    def is_contiguous(self, *, memory_format: MemoryFormat = contiguous_format) -> builtins.bool:
        """Whether the tensor's elements lie row by row without gaps, or in the order asked for."""
        if memory_format is contiguous_format:
            return self.array.is_contiguous  # type: ignore[no-any-return]
        return lies_in(self, memory_format)

    def type(self, dtype: Any = None, non_blocking: builtins.bool = False) -> Any:
        """PyTorch's old name of the dtype, "norch.FloatTensor"; given one, or a dtype, the tensor
        converted to it, itself if it is that.

        >>> norch.ones(1).type(), norch.ones(1).type("norch.LongTensor")
        ('norch.FloatTensor', tensor([1]))
        """
        if dtype is None:
            place = "norch" if self.is_cpu else "norch.cuda"
            return f"{place}.{_TYPES[self.dtype.name]}"
        return self.to(_of_type(dtype))  # type: ignore[attr-defined]


def _of_type(name: Any) -> DType:
    """The dtype that `tensor.type()` is given: a dtype, an old name, or one as FloatTensor."""
    if isinstance(name, DType) or name in (float, int, bool):
        return named_dtype(name)  # type: ignore[return-value]
    last = (name if isinstance(name, str) else getattr(name, "__name__", "")).split(".")[-1]
    for dtype, old in _TYPES.items():
        if last in (old, dtype):
            return getattr(norch_cpu_ops, "bool_" if dtype == "bool" else dtype)  # type: ignore
    raise ValueError(f"[type] {name!r} is no dtype: expected one, or a name as norch.FloatTensor")
