"""The door to LAPACK: what goes in, and what its codes mean. Nothing here computes.

LAPACK is for float32 and float64 on the CPU, where OpenBLAS is installed. Functions that norch can
compute without it ask `lapack_computes`, the others begin with `lapack_matrices`, which refuses.
"""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import reshape_array
from norch_autograd.ops.shape.view import expand, unsqueeze
from norch_cpu_ops import float32, float64, lapack


class LinAlgError(RuntimeError):
    """The matrix does not allow what was asked: it is singular, not positive-definite, not
    finite, or a search among its values did not end.
    """


def lapack_computes(tensor: Tensor) -> bool:
    """Whether LAPACK is there for this tensor."""
    x = tensor.array
    return x.device == "cpu" and x.dtype in (float32, float64) and lapack.has_lapack()


def check_matrices(op: str, tensor: Tensor) -> Any:
    """The array of a tensor of matrices of float32 or float64; refuses others."""
    x = array_of(tensor, op)
    if x.ndim < 2:
        raise RuntimeError(f"[{op}] expected matrices (..., rows, columns), got shape {x.shape}")
    if x.dtype not in (float32, float64):  # which PyTorch has no kernel for, or refuses
        raise NotImplementedError(f"[{op}] expected float32 or float64, got {x.dtype}: cast first")
    return x


def lapack_matrices(op: str, tensor: Tensor) -> Any:
    """The array for what only LAPACK can compute: `check_matrices`, and refuses other devices."""
    x = check_matrices(op, tensor)
    if x.device != "cpu":
        raise RuntimeError(
            f"[{op}] is computed on the CPU only, by LAPACK, got a tensor on {x.device}: "
            ".cpu() brings it there"
        )
    lapack.require_lapack(op)
    return x


def check_square(op: str, tensor: Tensor) -> int:
    """The size of square matrices; refuses others."""
    x = array_of(tensor, op)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"[{op}] expected square matrices, got shape {x.shape}")
    return int(check_matrices(op, tensor).shape[-1])


def vectors_as_columns(op: str, A: Tensor, B: Tensor) -> tuple[Tensor, bool]:
    """The right sides of equations as matrices, and whether they were vectors, one for each A."""
    a, b = A.array.shape, array_of(B, op).shape
    is_vector = len(b) == 1 or (len(b) == len(a) - 1 and b == a[:-1])
    right = unsqueeze(B, -1) if is_vector else B
    if right.array.ndim < 2 or right.array.shape[-2] != a[-2]:
        raise RuntimeError(f"[{op}] A {a} and B {b} do not match: expected as many rows")
    return right, is_vector


def with_equal_batches(op: str, A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """Two tensors of matrices of one dtype, repeated until they have equally many."""
    if A.dtype is not B.dtype:
        raise RuntimeError(f"[{op}] A is {A.dtype} but B {B.dtype}: cast one of them first")
    a, b = tuple(A.shape), tuple(B.shape)
    try:
        batch = strides.broadcast_shapes(a[:-2], b[:-2])
    except RuntimeError:
        raise RuntimeError(f"[{op}] the batches of A {a} and B {b} do not broadcast") from None
    return expand(A, (*batch, *a[-2:])), expand(B, (*batch, *b[-2:]))


def check_info(op: str, info: Any, meaning: str) -> None:
    """LinAlgError for the first matrix whose code is not 0: -1 says that it is not finite, and
    `meaning` what a positive code says, which it may name as `{code}`.
    """
    codes = reshape_array(info, (info.numel,)).tolist()
    place = next((i for i, code in enumerate(codes) if code), None)
    if place is None:
        return
    which = f"matrix {place} of the batch" if info.ndim else "the matrix"
    text = "has NaN or infinity among its elements" if codes[place] < 0 else meaning
    raise LinAlgError(f"[{op}] {which} {text.format(code=codes[place])}")
