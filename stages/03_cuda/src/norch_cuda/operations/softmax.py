"""softmax, its logarithm, logsumexp, and the cross-entropy loss with its gradient."""

from __future__ import annotations

from functools import partial

import norch_cpu_ops as cpu
from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real, real_dtype
from norch_cuda.launch.base import Givens, New, OperationsBase
from norch_cuda.launch.walks import row_major, split_dims, vector_walk
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
        self._check_cross_entropy("cross_entropy", logits, target)
        x = self.computing(logits)
        n, classes = x.shape
        given: Givens = (*x.strides, x.pointer, *vector_walk(target), ignore_index)
        given = (*given, New((n,)), New((n,)))
        explain = partial(_no_class, self, target, classes)
        losses, sums = self.compute(
            "softmax", logits.dtype, "cross_entropy", *given, lines=(n, classes), explain=explain
        )
        return losses, sums

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
        g, x, s = (self.computing(a) for a in (grad, logits, logsumexp))
        given: Givens = (*vector_walk(g), *x.strides, x.pointer, *vector_walk(s))
        given = (*given, *vector_walk(target), ignore_index, New((n, classes)))
        return self.compute("softmax", logits.dtype, op, *given, lines=(n, classes))[0]

    def _softmax_along(self, op: str, a: CudaArray, dim: int) -> CudaArray:
        """Launch a softmax along `dim`."""
        self._check_real(op, a)
        if a.ndim == 0:
            normalize_dim(dim, 0, op)
            return self.reshape(self._softmax_along(op, self.reshape(a, (1,)), 0), ())
        dim = normalize_dim(dim, a.ndim, op)
        x, (layout, count) = self.computing(a), row_major(a.shape)
        outer_out, _ = split_dims(layout, (dim,))
        walks = (*split_dims(x.layout, (dim,)), x.pointer, outer_out, layout.strides[dim])
        lines = (count // max(1, a.shape[dim]), a.shape[dim])
        return self.compute("softmax", a.dtype, op, *walks, New(a.shape), lines=lines)[0]

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
