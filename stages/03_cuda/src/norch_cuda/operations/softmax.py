"""softmax, its logarithm, logsumexp, and the cross-entropy loss with its gradient."""

from __future__ import annotations

from functools import partial

import norch_cpu_ops as cpu
from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype, is_real, real_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.walks import split_dims, vector_walk
from norch_cuda.operations.index import wrong_element
from norch_cuda.operations.reductions import Dims
from norch_strides import broadcast_to, normalize_dim, normalize_dims, numel, reduced_shape


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
        result = real_dtype(a.dtype)
        x = self.cast(a, computing_dtype(result))
        outer, inner = split_dims(x.layout, chosen)
        out = self.new(reduced_shape(a.shape, chosen, keepdim), x.dtype)
        length = numel(tuple(a.shape[d] for d in chosen))
        arguments = (outer, inner, x.pointer, out.pointer)
        self.launch_lines("softmax", x.dtype, "logsumexp_kernel", out.numel, length, *arguments)
        return self.cast(out, result)

    def cross_entropy(
        self, logits: CudaArray, target: CudaArray, ignore_index: int = -100
    ) -> tuple[CudaArray, CudaArray]:
        """Return (losses, logsumexp) of each row; logits (N, C), target (N,) int64."""
        self._check_cross_entropy("cross_entropy", logits, target)
        x = self.cast(logits, computing_dtype(logits.dtype))
        n, classes = x.shape
        losses, sums = self.new((n,), x.dtype), self.new((n,), x.dtype)
        report = self.backend.new_report()
        arguments = (
            *(x.strides[0], x.strides[1], x.pointer),
            *(*vector_walk(target), ignore_index),
            *(losses.pointer, sums.pointer, report.pointer),
        )
        self.launch_lines("softmax", x.dtype, "cross_entropy_kernel", n, classes, *arguments)
        self.backend.when_run(report, partial(_no_class, self, target, classes))
        return self.cast(losses, logits.dtype), self.cast(sums, logits.dtype)

    def cross_entropy_backward(
        self,
        grad: CudaArray,
        logits: CudaArray,
        logsumexp: CudaArray,
        target: CudaArray,
        ignore_index: int = -100,
    ) -> CudaArray:
        """Return the gradient of the logits: grad (softmax - one at the target).

        `grad` is one number a row, or one for all rows.
        """
        op = "cross_entropy_backward"
        self._check_cross_entropy(op, logits, target)
        self.check(op, grad, logsumexp)
        n, classes = logits.shape
        if grad.ndim == 0:
            grad = grad.view(broadcast_to(grad.layout, (n,)))
        if grad.shape != (n,) or logsumexp.shape != (n,):
            raise RuntimeError(
                f"[{op}] grad {grad.shape} and logsumexp {logsumexp.shape} do not match "
                f"logits {logits.shape}: expected ({n},)"
            )
        computing = computing_dtype(logits.dtype)
        g, x, s = (self.cast(a, computing) for a in (grad, logits, logsumexp))
        out = self.new((n, classes), computing)
        arguments = (
            *(*vector_walk(g), *x.strides, x.pointer),
            *(*vector_walk(s), *vector_walk(target), ignore_index, out.pointer),
        )
        kernel = "cross_entropy_backward_kernel"
        self.launch_lines("softmax", computing, kernel, n, classes, *arguments)
        return self.cast(out, logits.dtype)

    def _softmax_along(self, op: str, a: CudaArray, dim: int) -> CudaArray:
        """Launch a softmax along `dim`."""
        self._check_real(op, a)
        if a.ndim == 0:
            normalize_dim(dim, 0, op)
            return self.reshape(self._softmax_along(op, self.reshape(a, (1,)), 0), ())
        dim = normalize_dim(dim, a.ndim, op)
        x = self.cast(a, computing_dtype(a.dtype))
        out = self.new(a.shape, x.dtype)
        outer, inner = split_dims(x.layout, (dim,))
        outer_out, _ = split_dims(out.layout, (dim,))
        lines = out.numel // max(1, a.shape[dim])
        arguments = (outer, inner, x.pointer, outer_out, out.strides[dim], out.pointer)
        self.launch_lines("softmax", x.dtype, f"{op}_kernel", lines, a.shape[dim], *arguments)
        return self.cast(out, a.dtype)

    def _softmax_backward_along(
        self, op: str, grad: CudaArray, y: CudaArray, dim: int
    ) -> CudaArray:
        """Launch the gradient of a softmax along `dim`, from its result y."""
        self._check_real(op, y)
        dim = normalize_dim(dim, y.ndim, op)
        self.check_saved(op, grad, "y", y)
        computing = computing_dtype(y.dtype)
        g, kept = (self.contiguous(self.cast(a, computing)) for a in (grad, y))
        out = self.new(y.shape, computing)
        lines_at, _ = split_dims(out.layout, (dim,) if y.ndim else ())
        length, step = (y.shape[dim], out.strides[dim]) if y.ndim else (1, 1)
        lines = out.numel // max(1, length)
        arguments = (lines_at, step, g.pointer, kept.pointer, out.pointer)
        self.launch_lines("softmax", computing, f"{op}_kernel", lines, length, *arguments)
        return self.cast(out, y.dtype)

    def _check_real(self, op: str, a: CudaArray) -> None:
        """Refuse dtypes that are not real."""
        self.check(op, a)
        if not is_real(a.dtype):
            raise DTypeError(f"[{op}] expected a real dtype, got {a.dtype.name}: cast it first")

    def _check_cross_entropy(self, op: str, logits: CudaArray, target: CudaArray) -> None:
        """Refuse logits and a target that are not (N, C) and (N,) of int64."""
        self._check_real(op, logits)
        self.check(op, target)
        if target.dtype is not cpu.int64:
            raise DTypeError(
                f"[{op}] expected a target of int64, got {target.dtype.name}: cast it first"
            )
        if logits.ndim != 2 or target.shape != logits.shape[:1]:
            raise RuntimeError(
                f"[{op}] logits {logits.shape} and target {target.shape} do not match: "
                "expected (N, C) and (N,)"
            )


def _no_class(ops: OperationsBase, target: CudaArray, classes: int, row: int) -> IndexError:
    """What to raise for a target that a kernel found to be no class."""
    value = wrong_element(ops, target, row, 0, classes)
    return IndexError(
        f"[cross_entropy] target {value} in row {row} is out of range: "
        f"expected a class from 0 to {classes - 1}, or ignore_index"
    )
