"""Products of halves on tensor cores, which cuda-sim has, but takes floats instead: tried here."""

import numpy as np
import pytest
from cuda_comparison import host
from cuda_lessons import SIM

import norch_cpu_ops as cpu
from norch_cuda.runtime.simulator_options import simulator
from norch_strides import Layout, transpose

BITS = {cpu.float16: 11, cpu.bfloat16: 8}


@pytest.fixture
def launched(monkeypatch):
    """The simulator as a GPU with tensor cores; the kernels that it is given."""
    names, launch = [], SIM.backend.launch

    def noted(source, kernel, *rest):
        names.append(kernel)
        launch(source, kernel, *rest)

    monkeypatch.setattr(SIM.backend, "launch", noted)
    monkeypatch.setattr(SIM.backend, "has_tensor_cores_for", lambda dtype: "16" in dtype)
    return names


def halves(shape, seed, kind, dtype):
    """Matrices by rows, by columns, or with nothing side by side."""
    rows, columns = shape[-2:]
    wide = {"rows": (rows, columns), "columns": (columns, rows), "sparse": (rows, 2 * columns)}[
        kind
    ]
    drawn = np.random.default_rng(seed).normal(size=(*shape[:-2], *wide)).astype(np.float32)
    x = SIM.cast(SIM.from_buffer(drawn), dtype)
    if kind == "columns":
        return x.view(transpose(x.layout, -1, -2))
    steps = (*x.layout.strides[:-1], 2 if kind == "sparse" else 1)
    return x.view(Layout(shape, steps, 0))


def assert_rounded_once(found, a, b, shift, dtype):
    """The float64 product, but for one rounding to a half and those of sums of floats."""
    a, b = host(a), host(b)
    exact = a @ b + shift
    rounded = abs(exact) * 2.0 ** -BITS[dtype]
    added = a.shape[-1] * 2.0**-23 * (abs(a) @ abs(b) + abs(shift))
    assert (abs(host(found) - exact) <= rounded + added).all()


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize(
    ("kinds", "m", "k", "n"),
    [
        (("rows", "rows"), 70, 90, 65),
        (("rows", "columns"), 64, 96, 128),
        (("columns", "rows"), 40, 201, 72),
        (("columns", "columns"), 33, 257, 37),
        (("sparse", "sparse"), 80, 80, 80),
    ],
)
def test_any_strides(launched, kinds, m, k, n, dtype, check):
    a, b = halves((m, k), 0, kinds[0], dtype), halves((k, n), 1, kinds[1], dtype)
    launched.clear()
    with simulator(check=check):
        found = SIM.matmul(a, b)
    assert "matmul_halves" in launched[-1]
    assert len(launched) == 1 + 2 * (kinds[0] == "sparse")  # nothing is cast
    assert_rounded_once(found, a, b, 0.0, dtype)


@pytest.mark.parametrize("dtype", BITS)
def test_batches_and_a_bias(launched, dtype):
    a, b = halves((2, 1, 40, 120), 0, "rows", dtype), halves((3, 120, 36), 1, "rows", dtype)
    assert_rounded_once(SIM.matmul(a, b), a, b, 0.0, dtype)
    weight, bias = halves((36, 120), 2, "rows", dtype), halves((1, 36), 3, "rows", dtype)
    row = bias.view(Layout((36,), (1,), 0))
    found = SIM.linear(a, weight, row)
    turned = weight.view(transpose(weight.layout, 0, 1))
    assert_rounded_once(found, a, turned, host(row), dtype)
    assert sum("matmul_halves_kernel" in name for name in launched) == 2


def test_small_products_and_floats_go_other_ways(launched):
    small, large = (SIM.zeros((size, size), cpu.float16) for size in (32, 80))
    SIM.matmul(small, small)
    SIM.matmul(SIM.cast(large, cpu.float32), SIM.cast(large, cpu.float32))
    assert not any("halves" in name for name in launched)
