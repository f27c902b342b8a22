"""`CudaArray`: an array on a device; it knows where its elements lie and asks `ops` for the rest.

The same properties and methods as stage 2's `Array`, and the same layouts from stage 1: a view is a
new layout on the same storage, on every device. Knows nothing of kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NoReturn, Protocol

import norch_cpu_ops
import norch_strides as strides
from norch_cuda.runtime.backend import Memory, Pointer, pointer_to
from norch_strides import Layout, check_layout, is_contiguous, numel

Number = bool | int | float
Dims = int | tuple[int, ...] | list[int] | None


@lru_cache(maxsize=4096)
def _check_view(layout: Layout, size: int) -> None:
    """Refuse a layout that leaves a storage of so many elements; what was right once is right."""
    check_layout(layout, size, "view")


class ArrayOperations(Protocol):
    """What an array asks of `array.ops`; norch_cuda.operations has these and all others."""

    device: str
    as_cupy: Callable[[CudaArray], Any]
    to_cpu: Callable[[CudaArray], norch_cpu_ops.Array]
    clone: Callable[[CudaArray], CudaArray]
    neg: Callable[[CudaArray], CudaArray]
    sum: Callable[[CudaArray, Dims, bool], CudaArray]
    matmul: Callable[[CudaArray, CudaArray], CudaArray]
    add: Callable[[Operand, Operand], CudaArray]
    sub: Callable[[Operand, Operand], CudaArray]
    mul: Callable[[Operand, Operand], CudaArray]
    div: Callable[[Operand, Operand], CudaArray]


class Storage:
    """Device memory and how often it was written in place; shared by all views of it."""

    __slots__ = ("memory", "version")

    def __init__(self, memory: Memory) -> None:
        """Take over memory that nobody has written through an array yet."""
        self.memory = memory
        self.version = 0


class CudaArray:
    """Elements on a CUDA device or its simulator, addressed through a layout."""

    __slots__ = ("dtype", "layout", "ops", "storage")

    def __init__(
        self, storage: Storage, layout: Layout, dtype: norch_cpu_ops.DType, ops: Any
    ) -> None:
        """Join what others have checked: the layout lies within the storage."""
        self.storage = storage
        self.layout = layout
        self.dtype = dtype
        self.ops: ArrayOperations = ops

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each dimension."""
        return self.layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Step of each dimension, in elements."""
        return self.layout.strides

    @property
    def offset(self) -> int:
        """Position of the first element in the storage, in elements."""
        return self.layout.offset

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.layout.shape)

    @property
    def numel(self) -> int:
        """Number of elements."""
        return numel(self.layout.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel * self.dtype.itemsize

    @property
    def device(self) -> str:
        """Name of the device, such as "cuda:0" or "cuda-sim"."""
        return self.ops.device

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie row-major without gaps."""
        return is_contiguous(self.layout)

    @property
    def data_ptr(self) -> int:
        """Device address of the first element."""
        return self.storage.memory.address + self.layout.offset * self.dtype.itemsize

    @property
    def version(self) -> int:
        """How often the storage was written in place, through any view."""
        return self.storage.version

    @property
    def owns_storage(self) -> bool:
        """Whether no other array shares the storage: not known here, so what asks copies."""
        return False

    @property
    def fills_storage(self) -> bool:
        """Whether the array shows all of its memory, row-major: stage 4's core counts holders."""
        return self.nbytes == self.storage.memory.nbytes and self.is_contiguous

    @property
    def pointer(self) -> Pointer:
        """The first element as a kernel argument."""
        start = self.layout.offset * self.dtype.itemsize
        return pointer_to((self.storage.memory, start, "", None))

    def unversioned(self) -> CudaArray:
        """The same memory with a version of its own: writes through it are not counted here."""
        return CudaArray(Storage(self.storage.memory), self.layout, self.dtype, self.ops)

    def storage_as(self, dtype: norch_cpu_ops.DType) -> CudaArray:
        """Return the whole storage as a line of elements of a dtype."""
        line = strides.contiguous((self.storage.memory.nbytes // dtype.itemsize,))
        return CudaArray(self.storage, line, dtype, self.ops)

    def view(self, layout: Layout) -> CudaArray:
        """Return another layout of the same storage; one that leaves it is an error."""
        size = self.storage.memory.nbytes // self.dtype.itemsize
        _check_view(layout, size)
        return CudaArray(self.storage, layout, self.dtype, self.ops)

    def view_by(self, rule: Callable[..., Layout | None], *args: object) -> CudaArray | None:
        """Return the view that a rule of stage 1 makes of the layout; None where it finds none."""
        layout = rule(self.layout, *args)
        return None if layout is None else self.view(layout)

    def views_by(self, rule: Callable[..., list[Layout]], *args: object) -> list[CudaArray]:
        """Return the views that a rule of stage 1 makes of the layout."""
        return [self.view(layout) for layout in rule(self.layout, *args)]

    def select(self, dim: int, index: int) -> CudaArray:
        """Return slice number `index` along `dim`."""
        return self.view(strides.select(self.layout, dim, index))

    def unbind(self, dim: int) -> list[CudaArray]:
        """Return all slices along `dim`."""
        return self.views_by(strides.unbind, dim)

    @property
    def mT(self) -> CudaArray:
        """The last two dimensions exchanged, as a view."""
        if self.ndim < 2:
            raise RuntimeError(f"[mT] expected at least 2 dimensions, got {self.ndim}")
        return self.view(strides.transpose(self.layout, -2, -1))

    def reshape(self, *shape: int | Sequence[int]) -> CudaArray:
        """Return the same elements in another shape: a view if the layout allows, else a copy."""
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        wanted = strides.resolve_shape(sizes, self.numel)  # type: ignore[arg-type]
        found = strides.reshape(self.layout, wanted)
        if found is None:
            return self.ops.clone(self).view(strides.contiguous(wanted))
        return self.view(found)

    def sum(self, dim: Dims = None, keepdim: bool = False) -> CudaArray:
        """Return the sum over `dim`, all dimensions if None."""
        return self.ops.sum(self, dim, keepdim)

    def shares_storage(self, other: object) -> bool:
        """Whether writing to one of the two can change the other."""
        return isinstance(other, CudaArray) and other.storage.memory is self.storage.memory

    def alike(self, other: CudaArray) -> bool:
        """Whether the two have the same shape and dtype."""
        return self.dtype is other.dtype and self.layout.shape == other.layout.shape

    def item(self) -> bool | int | float:
        """Return the one element as a Python number; waits for the device."""
        return self.ops.to_cpu(self).item()

    def tolist(self) -> list[object] | bool | int | float:
        """Return nested lists of Python numbers; waits for the device."""
        found: list[object] | bool | int | float = self.ops.to_cpu(self).tolist()
        return found

    # The operators that stage 2's arrays have too.

    def __add__(self, other: CudaArray | float) -> CudaArray:
        return self.ops.add(self, other)

    def __radd__(self, other: float) -> CudaArray:
        return self.ops.add(other, self)

    def __sub__(self, other: CudaArray | float) -> CudaArray:
        return self.ops.sub(self, other)

    def __rsub__(self, other: float) -> CudaArray:
        return self.ops.sub(other, self)

    def __mul__(self, other: CudaArray | float) -> CudaArray:
        return self.ops.mul(self, other)

    def __rmul__(self, other: float) -> CudaArray:
        return self.ops.mul(other, self)

    def __truediv__(self, other: CudaArray | float) -> CudaArray:
        return self.ops.div(self, other)

    def __rtruediv__(self, other: float) -> CudaArray:
        return self.ops.div(other, self)

    def __matmul__(self, other: CudaArray) -> CudaArray:
        return self.ops.matmul(self, other)

    def __neg__(self) -> CudaArray:
        return self.ops.neg(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("[len] a zero-dimensional array has no length")
        return self.shape[0]

    def __array__(self, *_: object, **__: object) -> NoReturn:
        """Refuse: NumPy reads host memory only."""
        raise TypeError(
            f"[numpy] the array is on {self.device}, and NumPy needs it on the CPU: "
            "copy it with ops.to_cpu"
        )

    def __dlpack__(self, **options: object) -> object:
        """Share the memory with another library on the same GPU, without a copy."""
        return self.ops.as_cupy(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Tell DLPack's number for CUDA, 2, and the number of the GPU."""
        kind, index = self.ops.as_cupy(self).__dlpack_device__()
        return int(kind), int(index)

    def __repr__(self) -> str:
        return f"CudaArray({self.tolist()}, dtype={self.dtype!r}, device='{self.device}')"


Operand = CudaArray | Number
