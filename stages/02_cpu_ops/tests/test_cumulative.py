"""cumprod, cummax, cummin and logcumsumexp against NumPy, on any memory layout."""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

SHAPES = [((6,), 0), ((4, 5), 0), ((4, 5), -1), ((3, 4, 2), 1), ((3, 0), 1)]
INTEGERS = ("int64", "int32", "uint8", "bool")
share = ops.share_buffer


def numbers(shape, dtype):
    low = 0 if dtype in ("uint8", "bool") else -3
    return np.random.default_rng(0).integers(low, 2 if dtype == "bool" else 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", *INTEGERS])
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
def test_cumprod(check, dtype, shape, dim):
    result = "int64" if dtype in INTEGERS else dtype
    x = numbers(shape, dtype)
    check(lambda a: ops.cumprod(a, dim), np.cumprod(x.astype(result), dim), x)


def running_places(x, dim, better):
    """Where the running extreme was last seen; NaN beats every number."""
    lines = np.moveaxis(x, dim, -1)
    places = np.zeros(lines.shape, "int64")
    for at in np.ndindex(lines.shape[:-1]):
        best = 0
        for i, value in enumerate(lines[at]):
            old = lines[at][best]
            best = i if np.isnan(value) or (not np.isnan(old) and better(value, old)) else best
            places[(*at, i)] = best
    return np.moveaxis(places, -1, dim)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", *INTEGERS])
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_running_extremes_and_where_they_were_last_seen(check, dtype, shape, dim, name):
    x = numbers(shape, dtype)
    if dtype.startswith("float") and x.size:
        x.flat[x.size // 2] = np.nan
    places = running_places(x, dim, np.greater_equal if name == "cummax" else np.less_equal)
    op = getattr(ops, name)
    check(lambda a: op(a, dim)[0], np.take_along_axis(x, places, dim), x)
    check(lambda a: op(a, dim)[1], places, x)


@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 1e-6), ("float64", 1e-13)])
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
def test_logcumsumexp(check, dtype, rtol, shape, dim):
    x = numbers(shape, dtype)
    check(lambda a: ops.logcumsumexp(a, dim), np.logaddexp.accumulate(x, dim), x, rtol=rtol)


def test_logcumsumexp_of_infinities_large_numbers_and_nan():
    x = [-np.inf, -np.inf, 1.0, 800.0, 800.0, np.inf, np.nan, 1.0]
    got = ops.logcumsumexp(ops.from_list(x, cpu.float32), 0).tolist()
    want = [-np.inf, -np.inf, 1.0, 800.0, 800.0 + np.log(2), np.inf, np.nan, np.nan]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_halves_are_multiplied_in_full_and_rounded_once_each():
    a = ops.full((4,), 1.0009765625, cpu.float16)
    assert ops.cumprod(a, 0).tolist() == (1.0009765625 ** np.arange(1, 5)).astype("f2").tolist()


def test_an_array_without_dims_is_a_line_of_one():
    a = ops.from_list(3.0)
    got = [ops.cumprod(a, 0), *ops.cummax(a, 0), *ops.cummin(a, -1), ops.logcumsumexp(a, 0)]
    assert [(g.shape, g.item()) for g in got] == [((), v) for v in (3, 3, 0, 3, 0, 3)]


@pytest.mark.parametrize("name", ["cumprod", "cummax", "cummin", "logcumsumexp"])
def test_a_dim_that_is_not_there(name):
    with pytest.raises(IndexError, match=rf"\[{name}\] dim 2 is out of range"):
        getattr(ops, name)(ops.zeros((2, 3), cpu.float32), 2)


def test_logarithms_of_whole_numbers_are_refused():
    with pytest.raises(RuntimeError, match=r"\[logcumsumexp\] expected a floating dtype, got int"):
        ops.logcumsumexp(ops.zeros((2,), cpu.int64), 0)
