"""The lesson kernels: all versions agree with stage 2, and do what their comments say."""

import math

import numpy as np
import pytest
from cuda_comparison import assert_same, host, place
from cuda_lessons import SIM

import norch_cpu_ops as cpu
from norch_cuda import lessons
from norch_cuda.runtime.simulator_options import simulator
from norch_strides import Layout, transpose


def drawn(o, shape, seed=0, dtype=np.float32):
    return place(o, np.random.default_rng(seed).normal(size=shape).astype(dtype))


def counted(run):
    """The counters of a checked run, and its result."""
    with simulator(check=True) as counters:
        result = run()
    return counters, result


@pytest.mark.parametrize("version", ["naive", "tiled", "blocked", "vectorized", "cublas"])
@pytest.mark.parametrize("shape", [(3, 5, 2), (65, 17, 70), (1, 40, 1), (4, 0, 3)])
def test_matmul(ops, version, shape):
    m, k, n = shape
    if version == "cublas" and ops.device == "cuda-sim":
        with pytest.raises(RuntimeError, match=r"\[matmul\] version 'cublas' .* on cuda-sim"):
            lessons.matmul(drawn(ops, (m, k)), drawn(ops, (k, n), 1), version)
        return
    expected = cpu.ops.matmul(drawn(cpu.ops, (m, k)), drawn(cpu.ops, (k, n), 1))
    actual = lessons.matmul(drawn(ops, (m, k)), drawn(ops, (k, n), 1), version)
    assert_same(expected, actual, 1e-5)


@pytest.mark.parametrize(("dtype", "bits"), [(cpu.float16, 11), (cpu.bfloat16, 8)])
@pytest.mark.parametrize("shape", [(3, 5, 2), (65, 17, 70), (1, 40, 1), (33, 129, 31), (4, 0, 3)])
def test_tensor_cores_add_in_float32_and_round_once(ops, shape, dtype, bits):
    """The float64 product of what the halves hold, but for one rounding and floats' own."""
    m, k, n = shape
    drawn = np.random.default_rng(k).normal(size=(m + n, k)).astype(np.float32)
    a, b = place(ops, drawn[:m], dtype), place(ops, drawn[m:].T, dtype)
    assert k < 2 or not (a.is_contiguous or b.is_contiguous)
    left, right = host(a).reshape(m, k), host(b).reshape(k, n)
    exact = left @ right
    found = lessons.matmul(a, b, "wmma")
    assert (found.dtype, found.shape) == (dtype, (m, n))
    rounded, added = abs(exact) * 2.0**-bits, k * 2.0**-23 * (abs(left) @ abs(right))
    assert (abs(host(found) - exact) <= rounded + added).all()


@pytest.mark.parametrize("version", ["atomic", "tree", "halves", "shuffle"])
@pytest.mark.parametrize("shape", [(3, 5), (1000,), ()])
def test_sum(ops, version, shape):
    expected = cpu.ops.sum(drawn(cpu.ops, shape))
    assert_same(expected, lessons.sum(drawn(ops, shape), version), 1e-5)


@pytest.mark.parametrize("version", ["naive", "tiled", "padded"])
@pytest.mark.parametrize("shape", [(3, 5), (33, 70), (0, 4)])
def test_transpose(ops, version, shape):
    actual = lessons.transpose(drawn(ops, shape), version)
    expected = np.array(drawn(cpu.ops, shape).tolist()).reshape(shape).T
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(np.array(actual.tolist()).reshape(expected.shape), expected)


def test_each_matmul_reads_less():
    a = SIM.contiguous(drawn(SIM, (64, 32)))
    b = SIM.contiguous(drawn(SIM, (32, 64)))
    naive, tiled, blocked, vectorized = (
        counted(lambda v=v: lessons.matmul(a, b, v))[0]
        for v in ("naive", "tiled", "blocked", "vectorized")
    )
    products = 64 * 64 * 32
    assert naive.global_reads == 2 * products
    assert tiled.global_reads == 2 * products / 16
    assert blocked.global_reads == 2 * products / 64
    assert tiled.shared_reads == 2 * products
    assert blocked.shared_reads == products / 2
    assert vectorized.global_reads == blocked.global_reads / 4
    assert vectorized.shared_reads == blocked.shared_reads / 4


def test_tensor_cores_read_each_fragment_for_two_products():
    half = SIM.cast(drawn(SIM, (64, 64)), cpu.float16)
    wmma, _ = counted(lambda: lessons.matmul(half, half, "wmma"))
    assert wmma.global_reads == 2 * 64 * 64 / 8  # one tile has all, and reads 8 at once
    assert wmma.shared_reads == 2 * 64**3 / 32 + 64 * 64  # a fragment serves 16 rows, twice


def test_each_sum_touches_shared_memory_less():
    x = drawn(SIM, (512,))
    used = {}
    for version in ("atomic", "tree", "halves", "shuffle"):
        counters, _ = counted(lambda v=version: lessons.sum(x, v))
        used[version] = counters.shared_reads + counters.shared_writes, counters.atomics
    assert used["atomic"] == (0, 512 + 2)
    assert used["tree"] == used["halves"]
    assert used["shuffle"][0] < used["halves"][0] / 10


@pytest.mark.parametrize(
    "run, kind",
    [
        (lambda x: lessons.matmul(x, x, "fast"), ValueError),
        (lambda x: lessons.matmul(x, x, "wmma"), TypeError),
        (lambda x: lessons.sum(x, "fast"), ValueError),
        (lambda x: lessons.sum(SIM.zeros((2,), cpu.int64)), TypeError),
        (lambda x: lessons.matmul(x, x, "blocked"), RuntimeError),
        (lambda x: lessons.matmul(x, x, "vectorized"), RuntimeError),
        (lambda x: lessons.transpose(SIM.zeros((2,), cpu.float32)), RuntimeError),
    ],
)
def test_refused(run, kind):
    with pytest.raises(kind, match=r"^\[(matmul\w*|sum|transpose)\] "):
        run(drawn(SIM, (2, 3)))


def strided(o, shape, seed, kind):
    """A matrix by rows, by columns, without either neighbour, or one that begins at 4 bytes."""
    rows, columns = shape
    if kind == "turned":
        x = drawn(o, (columns, rows), seed)
        return x.view(transpose(x.layout, 0, 1))
    x = drawn(o, (2 * rows + 1, 2 * columns + 1), seed)
    (row, column), wide = x.layout.strides, kind == "sparse"
    steps = (2 * row, 2 * column) if wide else (row, column)
    return (
        x.view(Layout(shape, steps, row + column))
        if kind != "rows"
        else o.contiguous(x.view(Layout(shape, (row, column), 0)))
    )


@pytest.mark.parametrize("side", ["small", "large"])
@pytest.mark.parametrize("dtype", [cpu.float32, cpu.float64, cpu.int32, cpu.uint8])
@pytest.mark.parametrize("kind", ["rows", "turned", "sparse", "odd"])
@pytest.mark.parametrize("m, k, n", [(70, 90, 68), (33, 130, 129), (36, 7, 200)])
def test_large_products_are_the_naive_ones(monkeypatch, m, k, n, kind, dtype, side):
    """The sums have the same order: not a bit differs. A GPU takes large tiles for large ones."""
    monkeypatch.setattr(SIM.backend, "large_tiles_from", 0 if side == "large" else math.inf)
    a, b = (SIM.cast(strided(SIM, s, i, kind), dtype) for i, s in enumerate([(m, k), (k, n)]))
    found = lessons.matmul(a, b, "vectorized")
    assert found.tolist() == SIM.matmul_naive(a, b).tolist()


@pytest.mark.parametrize("check", [False, True])
def test_batches_and_a_bias_in_large_products(check):
    """A batch that is broadcast, odd sizes, and what `linear` adds to each column."""
    a, b = drawn(SIM, (2, 1, 40, 67)), drawn(SIM, (3, 67, 35), 1)
    weight, bias = drawn(SIM, (35, 67), 2), drawn(SIM, (35,), 3)
    turned = weight.view(transpose(weight.layout, 0, 1))
    with simulator(check=check):
        assert SIM.matmul(a, b).tolist() == SIM.matmul_naive(a, b).tolist()
        found = SIM.linear(a, weight, bias)
    expected = SIM.add(SIM.matmul_naive(a, turned), bias)
    assert found.tolist() == expected.tolist()
