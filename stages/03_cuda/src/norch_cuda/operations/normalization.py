"""Normalisation over the last dimension, over the batch and over groups, and the gradients.

Rows of nothing have mean 0 and the rstd NaN, as on the CPU.
"""

from __future__ import annotations

import math
from math import prod

from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.walks import (
    NOTHING,
    Arguments,
    Shape,
    row_major,
    split_dims,
    vector_walk,
    walk,
)
from norch_cuda.operations.reductions import fold
from norch_cuda.runtime.sources import ELEMENTS, family_source

_COLUMNS, _SHARES = 32, 8  # kWarp, kShares of normalization.cu
_LEAST_ROWS = 256  # of a chunk

Three = tuple[CudaArray, CudaArray, CudaArray]


class Norms(OperationsBase):
    """Rows brought to mean 0 and variance 1."""

    def layer_norm(
        self, x: CudaArray, weight: CudaArray | None = None, bias: CudaArray | None = None,
        eps: float = 1e-5,
    ) -> Three:  # fmt: skip
        """Return (x - mean) rstd weight + bias, mean and rstd of each row; x (..., C)."""
        out, mean, rstd = _rows(self, "layer_norm", x, weight, bias, eps)
        return out, mean, rstd

    def layer_norm_backward(
        self, grad: CudaArray, x: CudaArray, mean: CudaArray, rstd: CudaArray,
        weight: CudaArray | None = None,
    ) -> Three:  # fmt: skip
        """Return the gradients (dx, dweight, dbias); mean and rstd are those of layer_norm."""
        return _rows_backward(self, "layer_norm_backward", grad, x, weight, rstd, mean)

    def rms_norm(
        self, x: CudaArray, weight: CudaArray | None = None, eps: float = 1e-5
    ) -> tuple[CudaArray, CudaArray]:
        """Return x rstd weight, and rstd = 1 / sqrt(mean of x x + eps) of each row; x (..., C)."""
        out, *_, rstd = _rows(self, "rms_norm", x, weight, None, eps)
        return out, rstd

    def rms_norm_backward(
        self, grad: CudaArray, x: CudaArray, rstd: CudaArray, weight: CudaArray | None = None
    ) -> tuple[CudaArray, CudaArray]:
        """Return the gradients (dx, dweight); rstd is that of rms_norm."""
        return _rows_backward(self, "rms_norm_backward", grad, x, weight, rstd, None)[:2]


def _rows(
    ops: OperationsBase, op: str, x: CudaArray, weight: CudaArray | None, bias: CudaArray | None,
    eps: float,
) -> list[CudaArray]:  # fmt: skip
    """Return out, mean and rstd; of rms_norm no mean."""
    _check_input(ops, op, x, -1, weight=weight, bias=bias)
    if x.numel == 0:
        return _results(ops, x, x.shape[:-1], second=math.nan)
    outer, _ = split_dims(x.layout, (x.ndim - 1,))
    row = New(x.shape[:-1])
    return ops.compute(
        *("normalization", x.dtype, "layer_norm", outer, x.strides[-1], x.pointer),
        *(*vector_walk(weight), *vector_walk(bias), float(eps)),
        *(New(x.shape), None if op == "rms_norm" else row, row),
        lines=(prod(x.shape[:-1]), x.shape[-1]),
    )


def _rows_backward(
    ops: OperationsBase, op: str, grad: CudaArray, x: CudaArray, weight: CudaArray | None,
    rstd: CudaArray, mean: CudaArray | None,
) -> Three:  # fmt: skip
    """Return dx, dweight and dbias, which means nothing without a mean (rms_norm)."""
    _check_input(ops, op, x, -1, weight=weight)
    _check_like_rows(ops, op, grad, x, mean=mean, rstd=rstd)
    rows, channels = prod(x.shape[:-1]), x.shape[-1]
    if x.numel == 0:
        dx, dweight, dbias = _results(ops, x, (channels,))
        return dx, dweight, dbias
    given = [a if a is None else ops.contiguous(a) for a in (grad, x, mean, rstd)]
    arguments: Givens = (*given, *vector_walk(weight), New(x.shape))
    lines = (rows, channels)
    (dx,) = ops.compute("normalization", x.dtype, "layer_norm_dx", *arguments, lines=lines)
    return dx, *_of_channels(ops, rows, channels, x.dtype, given)


def _of_channels(
    ops: OperationsBase, rows: int, channels: int, dtype: DType, given: list[CudaArray | None]
) -> tuple[CudaArray, CudaArray]:
    """Return dweight and dbias: sums down the columns, of many rows in chunks first."""
    blocks = -(-channels // _COLUMNS)
    chunks = max(1, min(ops.backend.num_blocks // blocks, rows // _LEAST_ROWS))
    chunk = -(-rows // chunks)
    sums = [ops.new((chunks, channels), dtype) for _ in range(2)]
    source = family_source("normalization", ELEMENTS[dtype.name])
    pointers = [NOTHING if a is None else a.pointer for a in (*given, *sums)]
    grid, block = (blocks, chunks, 1), (_COLUMNS, _SHARES, 1)
    arguments: Arguments = (channels, rows, chunk, *pointers)
    ops.backend.launch(source, "layer_norm_dweight_kernel", grid, block, arguments)
    if chunks > 1:
        sums = [fold(ops, "sum", a, 0, False) for a in sums]
    dweight, dbias = (ops.reshape(a, (channels,)) for a in sums)
    return dweight, dbias


class BatchNorms(OperationsBase):
    """Channels, or groups of them, brought to mean 0 and variance 1."""

    def batch_norm(
        self, x: CudaArray, weight: CudaArray | None, bias: CudaArray | None, eps: float
    ) -> Three:
        """Return (x - mean) rstd weight + bias, mean and biased var; rstd = 1 / sqrt(var + eps)."""
        _check_input(self, "batch_norm", x, 1, weight=weight, bias=bias)
        channel = New(x.shape[1:2])
        if x.numel == 0:
            out, mean, var = _results(self, x, channel.shape)
            return out, mean, var
        others = _all_but_channels(x)
        walk_of_out = split_dims(row_major(x.shape)[0], others)
        out, mean, var = self.compute(
            *("normalization", x.dtype, "batch_norm", *split_dims(x.layout, others), x.pointer),
            *(*vector_walk(weight), *vector_walk(bias), float(eps)),
            *(*walk_of_out, New(x.shape), channel, channel),
            lines=(x.shape[1], x.numel // x.shape[1]),
        )
        return out, mean, var

    def batch_norm_eval(
        self, x: CudaArray, mean: CudaArray, var: CudaArray,
        weight: CudaArray | None, bias: CudaArray | None, eps: float,
    ) -> CudaArray:  # fmt: skip
        """(x - mean) / sqrt(var + eps) weight + bias with given mean and var of each channel."""
        op = "batch_norm_eval"
        _check_input(self, op, x, 1, mean=mean, var=var, weight=weight, bias=bias)
        channels = [argument for a in (mean, var, weight, bias) for argument in vector_walk(a)]
        given = (x.shape[1], prod(x.shape[2:]), *walk(x), *channels, float(eps), New(x.shape))
        return self.compute("normalization", x.dtype, op, *given)[0]

    def batch_norm_backward(
        self, grad: CudaArray, x: CudaArray, mean: CudaArray, var: CudaArray,
        weight: CudaArray | None, eps: float,
    ) -> Three:  # fmt: skip
        """Return the gradients (dx, dweight, dbias); mean and var are those of batch_norm."""
        op = "batch_norm_backward"
        _check_input(self, op, x, 1, mean=mean, var=var, weight=weight)
        _check_grad(self, op, grad, x)
        channel = New(x.shape[1:2])
        if x.numel == 0:
            dx, dweight, dbias = _results(self, x, channel.shape)
            return dx, dweight, dbias
        walks = split_dims(row_major(x.shape)[0], _all_but_channels(x))
        dx, dweight, dbias = self.compute(
            *("normalization", x.dtype, op, *walks, grad, x, mean, var),
            *(*vector_walk(weight), float(eps), New(x.shape), channel, channel),
            lines=(x.shape[1], x.numel // x.shape[1]),
        )
        return dx, dweight, dbias

    def group_norm(
        self, x: CudaArray, num_groups: int, weight: CudaArray | None, bias: CudaArray | None,
        eps: float,
    ) -> Three:  # fmt: skip
        """Return (x - mean) rstd weight + bias, mean and rstd (N, G) of each group of channels."""
        _check_input(self, "group_norm", x, 1, weight=weight, bias=bias)
        grouped = _as_groups(self, "group_norm", x, num_groups)
        group = New((x.shape[0], num_groups))
        if x.numel == 0:
            out, mean, rstd = _results(self, x, group.shape, second=math.nan)
            return out, mean, rstd
        walks = split_dims(grouped.layout, tuple(range(2, grouped.ndim)))
        out, mean, rstd = self.compute(
            *("normalization", x.dtype, "group_norm", num_groups, prod(x.shape[2:])),
            *(*walks, grouped.pointer, *vector_walk(weight), *vector_walk(bias), float(eps)),
            *(New(x.shape), group, group),
            lines=(prod(group.shape), prod(grouped.shape[2:])),
        )
        return out, mean, rstd

    def group_norm_backward(
        self, grad: CudaArray, x: CudaArray, mean: CudaArray, rstd: CudaArray, num_groups: int,
        weight: CudaArray | None,
    ) -> Three:  # fmt: skip
        """Return the gradients (dx, dweight, dbias); mean and rstd are those of group_norm."""
        op = "group_norm_backward"
        _check_input(self, op, x, 1, weight=weight)
        grouped = _as_groups(self, op, x, num_groups)
        _check_grad(self, op, grad, x)
        _check_of_groups(self, op, x, num_groups, mean, rstd)
        channel = New(x.shape[1:2])
        if x.numel == 0:  # dweight is a sum over samples of 0 times rstd, which is NaN
            nothing = math.nan if x.shape[0] else 0.0
            dx, dweight, dbias = _results(self, x, channel.shape, first=nothing)
            return dx, dweight, dbias
        size, length = prod(x.shape[2:]), prod(grouped.shape[2:])
        kept = [self.contiguous(a) for a in (grad, x, mean, rstd)]
        given: Givens = (num_groups, size, *kept, *vector_walk(weight), New(x.shape))
        lines = (mean.numel, length)
        (dx,) = self.compute("normalization", x.dtype, "group_norm_dx", *given, lines=lines)
        given, lines = (num_groups, size, *kept, channel, channel), (x.shape[1], x.shape[0] * size)
        dweight, dbias = self.compute(
            "normalization", x.dtype, "group_norm_dweight", *given, lines=lines
        )
        return dx, dweight, dbias


def _as_groups(ops: OperationsBase, op: str, x: CudaArray, num_groups: int) -> CudaArray:
    """Check the groups; return (N, C, ...) seen as (N, G, C / G, ...)."""
    if num_groups < 1 or x.shape[1] % num_groups:
        raise RuntimeError(
            f"[{op}] {x.shape[1]} channels of x {x.shape} do not make {num_groups} groups"
        )
    shape = (x.shape[0], num_groups, x.shape[1] // num_groups, *x.shape[2:])
    return ops.reshape(x, shape)


def _results(
    ops: OperationsBase, x: CudaArray, shape: Shape, first: float = 0.0, second: float = 0.0
) -> list[CudaArray]:
    """Return what normalizing an x without elements gives: itself, two arrays of equal elements."""
    pair = [ops.new_full(shape, value, x.dtype) for value in (first, second)]
    return [ops.new(x.shape, x.dtype), *pair]


def _check_input(
    ops: OperationsBase, op: str, x: CudaArray, dim: int, **of_channels: CudaArray | None
) -> None:
    """Refuse an x that is not real or has no channels at `dim`, and what does not fit them."""
    ops.check(op, x)
    if x.dtype.name not in ("float32", "float64"):
        raise DTypeError(f"[{op}] expected x of float32 or float64, got {x.dtype.name}")
    if dim < 0 and x.ndim == 0:
        raise RuntimeError(f"[{op}] x () has no dim to average over: expected (..., C)")
    if x.ndim <= dim:
        raise RuntimeError(f"[{op}] x {x.shape} has no channels: expected (N, C, ...)")
    for name, array in of_channels.items():
        if array is None:
            continue
        ops.check(op, array)
        if array.shape != (x.shape[dim],):
            raise RuntimeError(
                f"[{op}] {name} {array.shape} does not match x {x.shape}: expected "
                f"({x.shape[dim]},)"
            )
        if array.dtype is not x.dtype:
            raise DTypeError(f"[{op}] x is {x.dtype.name} but {name} is {array.dtype.name}")


def _check_like_rows(
    ops: OperationsBase, op: str, grad: CudaArray, x: CudaArray, **of_rows: CudaArray | None
) -> None:
    """Refuse a gradient or statistics that do not belong to the rows of x."""
    ops.check(op, grad)
    for name, array in of_rows.items():
        if array is None:
            continue
        ops.check(op, array)
        if grad.shape != x.shape or array.numel != prod(x.shape[:-1]):
            raise RuntimeError(
                f"[{op}] x {x.shape} needs a grad of its shape and {name} {x.shape[:-1]}, "
                f"got {grad.shape} and {array.shape}"
            )
        if grad.dtype is not x.dtype or array.dtype is not x.dtype:
            raise DTypeError(f"[{op}] grad and {name} must be {x.dtype.name} as x is")


def _check_grad(ops: OperationsBase, op: str, grad: CudaArray, x: CudaArray) -> None:
    """Refuse a gradient of another shape or dtype than x."""
    ops.check(op, grad)
    if grad.shape != x.shape:
        raise RuntimeError(f"[{op}] grad {grad.shape} must have the shape of x {x.shape}")
    if grad.dtype is not x.dtype:
        raise DTypeError(f"[{op}] grad is {grad.dtype.name} but x {x.dtype.name}")


def _check_of_groups(
    ops: OperationsBase, op: str, x: CudaArray, num_groups: int, mean: CudaArray, rstd: CudaArray
) -> None:
    """Refuse statistics that are not one number for each group of each image."""
    ops.check(op, mean, rstd)
    expected = (x.shape[0], num_groups)
    if mean.shape != expected or rstd.shape != expected:
        raise RuntimeError(f"[{op}] mean {mean.shape} and rstd {rstd.shape} must be {expected}")
    if mean.dtype is not x.dtype or rstd.dtype is not x.dtype:
        raise DTypeError(f"[{op}] mean and rstd must be {x.dtype.name} as x is")


def _all_but_channels(x: CudaArray) -> tuple[int, ...]:
    """Return the dims of images (N, C, ...) that a mean of batch_norm goes over."""
    return (0, *range(2, x.ndim))
