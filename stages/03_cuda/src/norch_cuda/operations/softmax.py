"""softmax, its logarithm, logsumexp, and the cross-entropy loss with its gradient."""

from __future__ import annotations

from functools import lru_cache, partial

import norch_cpu_ops as cpu
from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real, real_dtype
from norch_cuda.launch.base import New, OperationsBase, share_lines
from norch_cuda.launch.plan import At, Givens, Plan, plan, run
from norch_cuda.launch.walks import row_major, split_dims
from norch_cuda.operations.index import wrong_element
from norch_cuda.operations.reductions import Dims
from norch_strides import (
    Layout,
    broadcast_to,
    normalize_dim,
    normalize_dims,
    numel,
    reduced_shape,
)


class Softmax(OperationsBase):
    """Functions of a line of scores."""

    def softmax(self, a: CudaArray, dim: int) -> CudaArray:
        """`exp(x) / (sum of exp(x))` along `dim`."""
        return self._softmax_along("softmax", a, dim)

    def log_softmax(self, a: CudaArray, dim: int) -> CudaArray:
        """`x - logsumexp(x)` along `dim`."""
        return self._softmax_along("log_softmax", a, dim)

    def softmax_backward(self, grad: CudaArray, y: CudaArray, dim: int) -> CudaArray:
        """Return the gradient of the scores: y (grad - sum of grad y), where y = softmax(a)."""
        return self._softmax_backward_along("softmax_backward", grad, y, dim)

    def log_softmax_backward(self, grad: CudaArray, y: CudaArray, dim: int) -> CudaArray:
        """Return the gradient of the scores: grad - exp(y) (sum of grad), y = log_softmax(a)."""
        return self._softmax_backward_along("log_softmax_backward", grad, y, dim)

    def logsumexp(self, a: CudaArray, dims: Dims = None, keepdim: bool = False) -> CudaArray:
        """Log of the sum of exp(x), never overflowing."""
        self.check("logsumexp", a)
        chosen = normalize_dims(dims, a.ndim, "logsumexp")
        x = self.computing(self.cast(a, real_dtype(a.dtype)))
        length = numel(tuple(a.shape[d] for d in chosen))
        out = New(reduced_shape(a.shape, chosen, keepdim))
        given = (*split_dims(x.layout, chosen), x.pointer, out)
        lines = (numel(out.shape), length)
        return self.compute("softmax", real_dtype(a.dtype), "logsumexp", *given, lines=lines)[0]

    def cross_entropy(
        self, logits: CudaArray, target: CudaArray, ignore_index: int = -100
    ) -> tuple[CudaArray, CudaArray]:
        """Return (losses, logsumexp) of each row; logits (N, C), target (N,) int64."""
        self._check_classes("cross_entropy", logits, target)
        x, report = self.computing(logits), self.backend.new_report()
        planned = _plan_cross_entropy(
            x.dtype, self.backend.num_blocks, x.layout, target.layout, ignore_index
        )
        arrays = [a.storage.memory for a in (x, target)]
        losses, sums = run(self, planned, arrays, (report.pointer,))
        self.backend.when_run(report, partial(_no_class, self, target, logits.shape[1]))
        return self.cast(losses, logits.dtype), self.cast(sums, logits.dtype)

    def cross_entropy_backward(
        self, grad: CudaArray, logits: CudaArray, logsumexp: CudaArray, target: CudaArray,
        ignore_index: int = -100,
    ) -> CudaArray:  # fmt: skip
        """Return the gradient of the logits: grad (softmax - one at the target).

        `grad` is one number a row, or one for all rows.
        """
        op = "cross_entropy_backward"
        self._check_classes(op, logits, target)
        self.check(op, grad, logsumexp)
        operands = [*(self.computing(a) for a in (grad, logits, logsumexp)), target]
        layouts = (a.layout for a in operands)
        dtype, num_blocks = operands[1].dtype, self.backend.num_blocks
        planned = _plan_cross_entropy_backward(dtype, num_blocks, ignore_index, *layouts)
        return self.cast(run(self, planned, [a.storage.memory for a in operands])[0], logits.dtype)

    def _softmax_along(self, op: str, a: CudaArray, dim: int) -> CudaArray:
        """Launch a softmax along `dim`."""
        self._check_real(op, a)
        x = self.computing(a)
        planned = _plan_softmax(op, x.dtype, self.backend.num_blocks, x.layout, dim)
        return self.cast(run(self, planned, [x.storage.memory])[0], a.dtype)

    def _softmax_backward_along(
        self, op: str, grad: CudaArray, y: CudaArray, dim: int
    ) -> CudaArray:
        """Launch the gradient of a softmax along `dim`, from its result y."""
        self._check_real(op, y)
        dim = normalize_dim(dim, y.ndim, op)
        self.check_saved(op, grad, "y", y)
        layout, count = row_major(y.shape)
        lines_at, _ = split_dims(layout, (dim,) if y.ndim else ())
        length, step = (y.shape[dim], layout.strides[dim]) if y.ndim else (1, 1)
        given = (lines_at, step, grad, y, New(y.shape))
        lines = (count // max(1, length), length)
        return self.compute("softmax", y.dtype, op, *given, lines=lines)[0]

    def _check_real(self, op: str, a: CudaArray) -> None:
        """Refuse dtypes that are not real."""
        self.check(op, a)
        if not is_real(a.dtype):
            raise DTypeError(f"[{op}] expected a real dtype, got {a.dtype.name}: cast it first")

    def _check_classes(self, op: str, logits: CudaArray, target: CudaArray) -> None:
        """Refuse logits that are not real and a target that is not int64."""
        self._check_real(op, logits)
        self.check(op, target)
        if target.dtype is not cpu.int64:
            raise DTypeError(
                f"[{op}] expected a target of int64, got {target.dtype.name}: cast it first"
            )


@lru_cache(maxsize=4096)
def _plan_softmax(op: str, dtype: DType, num_blocks: int, layout: Layout, dim: int) -> Plan:
    """Plan a softmax along `dim`; one number is a line of one."""
    dim = normalize_dim(dim, len(layout.shape), op)
    x = layout if layout.shape else Layout((1,), (1,), layout.offset)
    out, count = row_major(x.shape)
    length = x.shape[dim]
    lines = count // max(1, length)
    walks = (*split_dims(x, (dim,)), At(0, x.offset), split_dims(out, (dim,))[0], out.strides[dim])
    grid = share_lines(num_blocks, lines, length)
    return plan("softmax", dtype, op, grid, lines, length, *walks, New(layout.shape))


@lru_cache(maxsize=4096)
def _plan_cross_entropy(
    dtype: DType, num_blocks: int, x: Layout, target: Layout, ignore_index: int
) -> Plan:
    """Plan the losses and logsumexps of rows; the report is missing."""
    n, classes = _check_rows("cross_entropy", x, target)
    grid = share_lines(num_blocks, n, classes)
    given: Givens = (*x.strides, At(0, x.offset), target.strides[0], At(1, target.offset, 8))
    given = (*given, ignore_index, New((n,)), New((n,)))
    return plan("softmax", dtype, "cross_entropy", grid, n, classes, *given)


@lru_cache(maxsize=4096)
def _plan_cross_entropy_backward(
    dtype: DType, num_blocks: int, ignore_index: int, grad: Layout, x: Layout, sums: Layout,
    target: Layout,
) -> Plan:  # fmt: skip
    """Plan the gradient of logits."""
    op = "cross_entropy_backward"
    n, classes = _check_rows(op, x, target)
    each = grad if grad.shape else broadcast_to(grad, (n,))
    if each.shape != (n,) or sums.shape != (n,):
        raise RuntimeError(
            f"[{op}] grad {grad.shape} and logsumexp {sums.shape} do not match "
            f"logits {x.shape}: expected ({n},)"
        )
    given: Givens = (each.strides[0], At(0, grad.offset), *x.strides, At(1, x.offset))
    given = (*given, sums.strides[0], At(2, sums.offset), target.strides[0])
    given = (*given, At(3, target.offset, 8), ignore_index, New((n, classes)))
    return plan("softmax", dtype, op, share_lines(num_blocks, n, classes), n, classes, *given)


def _check_rows(op: str, logits: Layout, target: Layout) -> tuple[int, int]:
    """Refuse logits and a target that are not (N, C) and (N,); return (N, C)."""
    if len(logits.shape) != 2 or target.shape != logits.shape[:1]:
        raise RuntimeError(
            f"[{op}] logits {logits.shape} and target {target.shape} do not match: "
            "expected (N, C) and (N,)"
        )
    return logits.shape[0], logits.shape[1]


def _no_class(ops: OperationsBase, target: CudaArray, classes: int, row: int) -> IndexError:
    """What to raise for a target that a kernel found to be no class."""
    value = wrong_element(ops, target, row, 0, classes)
    return IndexError(
        f"[cross_entropy] target {value} in row {row} is out of range: "
        f"expected a class from 0 to {classes - 1}, or ignore_index"
    )
