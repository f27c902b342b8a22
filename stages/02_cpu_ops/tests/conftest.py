"""What tests of this stage share: memory layouts, instruction sets, threads, and the one check."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

sys.path.insert(0, str(Path(__file__).parent))  # slow_windows, small_arrays


def turned(x: np.ndarray) -> np.ndarray:
    """Return x with its first dim last in memory and stride 0 wherever its values repeat."""
    y = np.moveaxis(np.array(np.moveaxis(x, 0, -1), order="C"), -1, 0) if x.ndim else x.copy()
    strides = list(y.strides)
    for dim in range(x.ndim):
        first = np.take(x, range(min(1, x.shape[dim])), axis=dim)
        if np.broadcast_to(first, x.shape).tobytes() == x.tobytes():
            strides[dim] = 0
    return np.lib.stride_tricks.as_strided(y, x.shape, strides)


def same_values_elsewhere(x: np.ndarray) -> list[np.ndarray]:
    """Return arrays equal to x: row-major, column-major, with gaps, backwards, turned.

    Turned: the first dim lies last in memory, which from three dims on is neither of the first
    two, and a dim along which the values repeat is broadcast: it has stride 0.
    """
    x = np.asarray(x)
    every_other = (*(slice(1, None, 2) for _ in x.shape), ...)  # the dots keep a view without dims
    gaps = np.zeros([2 * size + 1 for size in x.shape], x.dtype)[every_other]
    gaps[...] = x
    row_major = np.array(x, order="C")
    backwards = np.asarray(np.flip(np.array(np.flip(x), order="C")))
    return [row_major, np.array(x, order="F"), gaps, backwards, turned(x)]


@pytest.fixture
def layouts() -> Callable[[np.ndarray], list[np.ndarray]]:
    """Give the function that lays the same values out in memory in different ways."""
    return same_values_elsewhere


def check_op(op, reference, *inputs, dtype=None, rtol=0.0, atol=0.0):
    """Run op on the inputs under every memory layout; compare values, shape and dtype.

    `reference` is NumPy's answer, or the function that gives it; `dtype` what it is cast to.
    Each operand takes the layouts in turn, another one than its neighbours.
    """
    with np.errstate(all="ignore"):
        want = np.asarray(reference(*inputs) if callable(reference) else reference)
        want = want if dtype is None else want.astype(dtype)
    variants = [same_values_elsewhere(x) if isinstance(x, np.ndarray) else [x] * 5 for x in inputs]
    for turn in range(5):
        operands = [v[(turn + k) % 5] for k, v in enumerate(variants)]
        arrays = [ops.share_buffer(x) if isinstance(x, np.ndarray) else x for x in operands]
        got = np.asarray(op(*arrays))
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, strict=True)


@pytest.fixture
def check() -> Callable[..., None]:
    """Give check_op."""
    return check_op


@pytest.fixture(params=["baseline", "avx2", "avx512"])
def instruction_set(request) -> Iterator[str]:
    """Run the test on each instruction set that is built and present, and name it."""
    before = cpu.instruction_set()
    try:
        cpu.set_instruction_set(request.param)
    except ValueError as refusal:
        pytest.skip(str(refusal))
    yield request.param
    cpu.set_instruction_set(before)


@pytest.fixture
def openblas_instruction_set() -> str:
    """Name an instruction set that leaves products to OpenBLAS; skip where none is built."""
    names = [name for name in cpu.instruction_sets() if name != "avx512"]
    if not names:
        pytest.skip("the kernels built here are AVX-512's, which call no OpenBLAS")
    return names[-1]


@pytest.fixture
def thread_counts() -> Iterator[Iterator[int]]:
    """Give numbers of threads to walk through; each is set when its turn comes."""

    def each() -> Iterator[int]:
        for count in (1, 2, 5):
            cpu.set_num_threads(count)
            yield count

    before = cpu.get_num_threads()
    yield each()
    cpu.set_num_threads(before)
