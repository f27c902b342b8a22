"""What the families of operations share: checks at the door, new arrays, the shape of a launch.

An operation is: check, let stage 1 say where the elements lie, make the output, launch one kernel.
"""

from __future__ import annotations

from collections import OrderedDict

import norch_cpu_ops as cpu
from norch_cpu_ops import DType
from norch_cuda.array import CudaArray, Storage
from norch_cuda.backend import Argument, Backend, Pointer
from norch_cuda.promotion import Number, Operand, natural_dtype
from norch_cuda.sources import ELEMENTS, family_source
from norch_strides import Layout, broadcast_to, coalesce, contiguous, normalize_dims, numel

_THREADS = 256
_WARP = 32
_MAX_CONSTANTS = 256


def walk(array: CudaArray, shape: tuple[int, ...] | None = None) -> tuple[Layout, Pointer]:
    """Return the two kernel arguments of an operand, broadcast to `shape` if it is given."""
    layout = array.layout if shape is None else broadcast_to(array.layout, shape)
    return coalesce(layout._replace(offset=0)), array.pointer


def split_dims(layout: Layout, dims: tuple[int, ...]) -> tuple[Layout, Layout]:
    """Return the walk over the dimensions that stay, and the one over `dims`."""
    stay = tuple(d for d in range(len(layout.shape)) if d not in dims)
    pick = [(stay, layout), (dims, layout)]
    outer, inner = (
        coalesce(Layout(tuple(of.shape[d] for d in ds), tuple(of.strides[d] for d in ds)))
        for ds, of in pick
    )
    return outer, inner


class OperationsBase:
    """The operations of one device; `backend` holds its memory and runs its kernels."""

    def __init__(self, backend: Backend) -> None:
        """Bind the operations to a device."""
        self.backend = backend
        self._constants: OrderedDict[tuple[DType, bool, Number], CudaArray] = OrderedDict()

    @property
    def device(self) -> str:
        """Name of the device."""
        return self.backend.device

    # ---- checks ----

    def _check(self, op: str, *arrays: object) -> None:
        """Refuse anything but arrays of this device."""
        for array in arrays:
            if not isinstance(array, (CudaArray, cpu.Array)):
                raise TypeError(f"[{op}] expected an array, got {type(array).__name__}")
            if not isinstance(array, CudaArray) or array.ops is not self:
                raise RuntimeError(
                    f"[{op}] the arrays are on two devices, {self.device} and {array.device}: "
                    "move one of them, with ops.from_cpu or ops.to_cpu"
                )

    def _check_operands(self, op: str, *operands: object) -> None:
        arrays = [x for x in operands if not isinstance(x, (bool, int, float))]
        if not arrays:
            raise TypeError(f"[{op}] expected at least one array, got Python numbers only")
        self._check(op, *arrays)

    def _check_saved(self, op: str, grad: CudaArray, name: str, saved: CudaArray) -> None:
        """Refuse a gradient that is not of the shape and dtype of what the forward kept."""
        self._check(op, grad, saved)
        if not grad.alike(saved):
            raise RuntimeError(
                f"[{op}] grad is {grad.dtype.name} {grad.shape} but {name} {saved.dtype.name} "
                f"{saved.shape}: both must be alike"
            )

    def _begin_write(self, op: str, array: CudaArray) -> None:
        """Check and announce an in-place operation: the version moves before the elements do."""
        self._check(op, array)
        for size, stride in zip(array.shape, array.strides, strict=True):
            if size > 1 and stride == 0:
                raise RuntimeError(
                    f"[{op}] an array of shape {array.shape} and strides {array.strides} has "
                    "elements that share their memory, and cannot be written: clone it first"
                )
        array.storage.version += 1

    # ---- arrays ----

    def _empty(self, shape: tuple[int, ...], dtype: DType) -> CudaArray:
        memory = self.backend.allocate(numel(shape) * dtype.itemsize)
        return CudaArray(Storage(memory), contiguous(shape), dtype, self)

    def _as_array(self, operand: Operand, dtype: DType) -> CudaArray:
        """Return an array as it is; a number as an array without dimensions, made once and kept."""
        if isinstance(operand, CudaArray):
            return operand
        key = (dtype, isinstance(operand, float), operand)
        if operand != operand:  # a NaN is never found again
            return self._filled((), operand, dtype)
        if key not in self._constants:
            self._constants[key] = self._filled((), operand, dtype)
            if len(self._constants) > _MAX_CONSTANTS:
                self._constants.popitem(last=False)
        return self._constants[key]

    def _filled(self, shape: tuple[int, ...], value: Number, dtype: DType) -> CudaArray:
        out = self._empty(shape, dtype)
        self._fill(out, value)
        return out

    def _fill(self, out: CudaArray, value: Number) -> None:
        whole = 0 if natural_dtype(value) is cpu.float32 else int(value)
        if natural_dtype(value) is cpu.float32 and value == value and abs(value) < 2.0**63:
            whole = int(value)
        arguments = (float(value), whole, *walk(out))
        self._elements("fill", out.dtype, "fill_kernel", out.numel, *arguments)

    # ---- launches ----

    def _elements(
        self, family: str, dtype: DType, kernel: str, n: int, *arguments: Argument
    ) -> None:
        """Launch a kernel whose threads share `n` elements among them."""
        if n == 0:
            return
        blocks = min(self.backend.num_blocks, -(-n // _THREADS))
        source = family_source(family, ELEMENTS[dtype.name])
        self.backend.launch(source, kernel, (blocks, 1, 1), (_THREADS, 1, 1), (n, *arguments))

    def _lines(
        self,
        family: str,
        dtype: DType,
        kernel: str,
        lines: int,
        length: int,
        *arguments: Argument,
        blocks: int = 1,
    ) -> None:
        """Launch a kernel in which each block handles some of the lines; `blocks` work on one."""
        if lines == 0:
            return
        threads = _WARP
        while threads < min(length, _THREADS):
            threads *= 2
        blocks = min(self.backend.num_blocks, lines * blocks)
        source = family_source(family, ELEMENTS[dtype.name])
        arguments = (lines, length, *arguments)
        self.backend.launch(source, kernel, (blocks, 1, 1), (threads, 1, 1), arguments)


def dims_tuple(
    dims: int | tuple[int, ...] | list[int] | None, ndim: int, op: str
) -> tuple[int, ...]:
    """Normalise dims; None means all of them."""
    return normalize_dims(dims, ndim, op)
