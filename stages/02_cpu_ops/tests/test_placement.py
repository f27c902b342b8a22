"""Where an array lies in memory changes no bit of a result, and its neighbours are never taken in.

NumPy's memory starts at any multiple of an element, ours at a multiple of 64 bytes. The kernels
whose inputs are often NumPy's are run on both, by every instruction set.
"""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

SHAPES = [(1, 1), (3, 7), (5, 32), (2, 33), (4, 64), (3, 100), (2, 257)]
TARGET = [0, 1, 0, 2, 1]


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def placed(x, start):
    """Return x at `start` bytes behind a multiple of 64, between numbers that spoil every sum."""
    around = np.full(x.size + 256 // x.itemsize, np.nan, x.dtype)
    first = (-around.ctypes.data % 64 + start) // x.itemsize
    view = around[first : first + x.size].reshape(x.shape)
    view[...] = x
    return ops.share_buffer(view)


def layer_norm(grad, x, weight):
    out, mean, rstd = ops.layer_norm(x, weight, weight)
    return [out, mean, rstd, *ops.layer_norm_backward(grad, x, mean, rstd, weight)]


def rms_norm(grad, x, weight):
    out, rstd = ops.rms_norm(x, weight)
    return [out, rstd, *ops.rms_norm_backward(grad, x, rstd, weight)]


def softmax(grad, x, weight):
    y = ops.softmax(x, -1)
    return [y, ops.softmax_backward(grad, y, -1), ops.log_softmax(x, -1), ops.logsumexp(x, [1])]


def cross_entropy(grad, x, weight):
    target = ops.from_list([t % x.shape[1] for t in TARGET[: x.shape[0]]])
    losses, lse = ops.cross_entropy(x, target)
    return [losses, lse, ops.cross_entropy_backward(losses, x, lse, target)]


def elementwise(grad, x, weight):
    return [grad + x, x * weight, weight - x, ops.exp(x), ops.where(ops.gt(x, weight), x, grad)]


def matmul(grad, x, weight):
    product = ops.matmul(x, grad.mT)
    return [product, ops.matmul(x, weight), ops.matmul(weight, grad.mT)]


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "family", [layer_norm, rms_norm, softmax, cross_entropy, elementwise, matmul]
)
def test_the_place_in_memory_changes_no_bit(family, dtype, isa):
    best = cpu.instruction_set()
    try:
        cpu.set_instruction_set(isa)
    except ValueError as refusal:
        pytest.skip(str(refusal))
    try:
        for shape in SHAPES:
            inputs = [numbers(s, dtype, k) for k, s in enumerate((shape, shape, shape[1:]))]
            answers = [
                [np.asarray(a).tobytes() for a in family(*(placed(x, start) for x in inputs))]
                for start in (0, 8, 16, 40, 64 - inputs[0].itemsize)
            ]
            assert all(answer == answers[0] for answer in answers), shape
            assert not any(np.isnan(np.frombuffer(a, dtype)).any() for a in answers[0]), shape
    finally:
        cpu.set_instruction_set(best)
