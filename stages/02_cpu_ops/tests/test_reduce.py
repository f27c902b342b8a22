"""Reductions against NumPy in float64: every dim, any layout, empty, zero-dim, non-finite."""

import math

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

NUMBERS = ("float32", "float64", "int64", "int32", "uint8")
FLOATS = ("float32", "float64")
ALL = (*NUMBERS, "bool")
SHAPES = [(7,), (3, 5), (2, 3, 4), (50, 3), (3, 50), (2, 40, 33), (0, 3), (3, 0), ()]
DIMS = [None, 0, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2)]
RTOL = {"float32": 1e-6, "float64": 1e-12}


def numbers(shape, dtype, seed=0):
    x = np.random.default_rng(seed).uniform(-4, 9, shape)
    return np.asarray(x > 0) if dtype == "bool" else np.asarray(x.astype("int64") % 7).astype(dtype)


def cases(shapes=SHAPES):
    """Yield every (shape, dims) that fits, with numpy's spelling of the dims."""
    for shape in shapes:
        for dims in DIMS:
            wanted = () if dims is None else dims if isinstance(dims, tuple) else (dims,)
            if all(-len(shape) <= d < len(shape) for d in wanted):
                yield shape, dims


REDUCTIONS = {
    "sum": (np.sum, ALL), "prod": (np.prod, ALL), "mean": (np.mean, FLOATS),
    "amax": (np.max, ALL), "amin": (np.min, ALL), "any": (np.any, ALL), "all": (np.all, ALL),
}  # fmt: skip


def result_dtype(name, dtype):
    if name in ("sum", "prod") and dtype not in FLOATS:
        return "int64"
    return ("uint8" if dtype == "uint8" else "bool") if name in ("any", "all") else dtype


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize(
    ("name", "dtype"), [(n, d) for n, (_, ds) in REDUCTIONS.items() for d in ds]
)
def test_reductions(check, name, dtype, keepdim):
    reference = REDUCTIONS[name][0]
    wide = "float64" if dtype in FLOATS else dtype
    for shape, dims in cases():
        if name in ("amax", "amin", "mean") and 0 in shape:
            continue
        x = numbers(shape, dtype)
        want = np.asarray(reference(x.astype(wide), axis=dims, keepdims=keepdim))
        check(lambda a: getattr(ops, name)(a, dims, keepdim), want, x,  # noqa: B023
              dtype=result_dtype(name, dtype), rtol=RTOL.get(dtype, 0))  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("correction", [0, 1])
def test_var(check, dtype, correction):
    for shape, dims in cases([(7,), (3, 5), (2, 40, 33), (600, 9), (9, 600)]):
        x = np.random.default_rng(0).normal(3, 2, shape).astype(dtype)
        want = np.var(x.astype("float64"), axis=dims, ddof=correction)
        check(lambda a: ops.var(a, dims, correction), want, x, dtype=dtype,  # noqa: B023
              rtol=RTOL[dtype])  # fmt: skip


def test_var_far_from_zero_does_not_cancel():
    x = np.random.default_rng(0).normal(1e4, 1e-2, 200_000).astype("float32")
    want = x.astype("float64").var(ddof=1)
    assert ops.var(ops.share_buffer(x), None, 1).item() == pytest.approx(want, rel=1e-6)
    y = np.random.default_rng(0).normal(1e8, 1, 200_000)
    assert ops.var(ops.share_buffer(y), None, 1).item() == pytest.approx(y.var(ddof=1), rel=1e-9)


def test_var_of_too_few_elements():
    assert math.isnan(ops.var(ops.from_list([1.0]), None, 1).item())
    assert ops.var(ops.from_list([1.0]), None, 0).item() == 0.0
    assert math.isnan(ops.var(ops.from_list([]), None, 0).item())


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_arg_extremes_take_the_first_of_equals(check, name, dtype):
    for shape in [(7,), (3, 5), (2, 40, 33), (3000,), (9, 600), ()]:
        x = numbers(shape, dtype)
        for dim in [None, *range(x.ndim)]:
            want = getattr(np, name)(x, axis=dim)
            check(lambda a: getattr(ops, name)(a, dim), want, x, dtype="int64")  # noqa: B023


@pytest.mark.parametrize("isa", cpu.instruction_sets())
@pytest.mark.parametrize("dtype", ALL)
def test_an_extreme_is_found_wherever_it_stands(isa, dtype):
    """In each lane, vector and rest of a row, with its equals behind it."""
    best, upper = cpu.instruction_set(), np.triu(np.ones((150, 150)))
    cases = [(ops.argmax, upper), (ops.argmin, 1 - upper)]
    if dtype in FLOATS:
        cases += [(op, np.where(upper == 1, np.nan, 1)) for op in (ops.argmax, ops.argmin)]
    try:
        cpu.set_instruction_set(isa)
        found = [op(ops.share_buffer(x.astype(dtype)), 1).tolist() for op, x in cases]
    finally:
        cpu.set_instruction_set(best)
    assert found == [list(range(150))] * len(cases)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_with_their_places(check, name, dtype):
    for shape in [(7,), (3, 5), (2, 40, 33), (9, 600)]:
        x = numbers(shape, dtype)
        for dim in range(-1, x.ndim):
            where = np.expand_dims(getattr(np, "arg" + name)(x, axis=dim), dim)
            op = getattr(ops, name)
            check(lambda a: op(a, dim, True)[0], np.take_along_axis(x, where, dim), x)  # noqa: B023
            check(lambda a: op(a, dim)[1], where.squeeze(dim), x, dtype="int64")  # noqa: B023


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", [3, 40, 1500, 70_000])
def test_nan_wins_every_extreme_and_its_first_place_is_kept(check, length, dtype):
    x = np.random.default_rng(0).normal(size=(2, length)).astype(dtype)
    x[1, [length // 2, length - 1]] = np.nan
    x[0, length // 3] = np.inf
    for view in (x, x.T):
        dim = 1 if view is x else 0
        check(lambda a: ops.amax(a, dim), np.max(view, axis=dim), view)  # noqa: B023
        check(lambda a: ops.amin(a, dim), np.min(view, axis=dim), view)  # noqa: B023
        check(lambda a: ops.argmax(a, dim), np.argmax(view, axis=dim), view)  # noqa: B023
        check(lambda a: ops.argmin(a, dim), np.argmin(view, axis=dim), view)  # noqa: B023
        check(lambda a: ops.max(a, dim)[0], np.max(view, axis=dim), view)  # noqa: B023


def test_extremes_of_infinities_only():
    x = ops.from_list([-math.inf, -math.inf])
    assert ops.amax(x).item() == -math.inf and ops.argmax(x).item() == 0
    assert ops.amin(ops.from_list([math.inf])).item() == math.inf


def test_sums_of_non_finite_numbers():
    assert ops.sum(ops.from_list([math.inf, 1.0])).item() == math.inf
    assert math.isnan(ops.sum(ops.from_list([math.inf, -math.inf])).item())
    assert math.isnan(ops.mean(ops.from_list([1.0, math.nan])).item())


@pytest.mark.parametrize("layout", ["row", "column sums", "strided"])
def test_float32_sums_stay_within_1e6_of_float64(layout):
    x = np.random.default_rng(0).uniform(0, 1, 4_000_000).astype("float32")
    if layout == "row":
        got, want = ops.sum(ops.share_buffer(x)).item(), x.sum(dtype="float64")
    elif layout == "strided":
        got, want = ops.sum(ops.share_buffer(x[::2])).item(), x[::2].sum(dtype="float64")
    else:
        x = x.reshape(-1, 40)
        got, want = np.asarray(ops.sum(ops.share_buffer(x), 0)), x.sum(0, dtype="float64")
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_a_sum_does_not_depend_on_the_number_of_threads(thread_counts):
    x = np.random.default_rng(0).normal(size=(300_000, 5)).astype("float32")
    results = set()
    for _ in thread_counts:
        a = ops.share_buffer(x)
        results.add((ops.sum(a).item(), tuple(ops.sum(a, 0).tolist()), ops.var(a).item()))
    assert len(results) == 1


def test_integer_sums_are_exact_and_wrap():
    assert ops.sum(ops.full((1000,), 200, cpu.uint8)).item() == 200_000
    assert ops.sum(ops.full((3,), 2**31 - 1, cpu.int32)).item() == 3 * (2**31 - 1)
    assert ops.sum(ops.full((2,), 2**63 - 1, cpu.int64)).item() == -2
    big = ops.from_list([2**53, 1, 1])
    assert ops.sum(big).item() == 2**53 + 2


def test_reductions_of_nothing():
    empty = ops.zeros((0, 3), cpu.float32)
    assert ops.sum(empty, 0).tolist() == [0.0] * 3 and ops.prod(empty).item() == 1.0
    assert ops.all(empty).item() is True and ops.any(empty).item() is False
    assert math.isnan(ops.mean(empty).item())
    assert ops.sum(empty, 1).shape == (0,) and ops.amax(empty, 1).shape == (0,)


@pytest.mark.parametrize("dtype", ALL)
def test_cumsum(check, dtype):
    for shape in [(7,), (3, 5), (2, 40, 33), (0, 3), ()]:
        x = numbers(shape, dtype)
        for dim in range(max(1, x.ndim)):
            wide = "float64" if dtype in FLOATS else "int64"
            want = np.cumsum(x.astype(wide), axis=dim).reshape(x.shape)
            check(lambda a: ops.cumsum(a, dim), want, x,  # noqa: B023
                  dtype=dtype if dtype in FLOATS else "int64", rtol=RTOL.get(dtype, 0))  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda x: ops.sum(x, 2), IndexError, r"\[sum\] dim 2 is out of range for 2 dim.*-2 to 1"),
    (lambda x: ops.sum(x, (0, -2)), RuntimeError, r"\[sum\] dim 0 appears more than once"),
    (lambda x: ops.sum([1.0]), TypeError, r"\[sum\] expected an Array, got list"),
    (lambda x: ops.mean(ops.from_list([1, 2])), RuntimeError, r"\[mean\] expected a floating"),
    (lambda x: ops.var(ops.from_list([1, 2])), RuntimeError, r"\[var\] expected a floating dtype"),
    (lambda x: ops.amax(ops.zeros((0, 3), cpu.float32), 0), IndexError, r"\[amax\] dim 0.*size 0"),
    (lambda x: ops.argmax(ops.zeros((0,), cpu.float32)), IndexError, r"\[argmax\] dim 0.*size 0"),
    (lambda x: ops.max(x, -3), IndexError, r"\[max\] dim -3 is out of range"),
    (lambda x: ops.cumsum(x, 5), IndexError, r"\[cumsum\] dim 5 is out of range"),
    (lambda x: ops.sum(x, "0"), TypeError, r"integers"),
    (lambda x: ops.sum(x, 1.0), TypeError, r"\[sum\] expected sum\(a.*got \(Array, float\)"),
    (lambda x: ops.amax(ops.zeros((0, 3), cpu.float32)), RuntimeError, r"\[amax\] .*name the dims"),
])  # fmt: skip
def test_bad_input_is_refused_in_words(call, kind, message):
    with pytest.raises(kind, match=message):
        call(ops.ones((2, 3), cpu.float32))


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("dims", [None, 0, 1, (0, 2), 2])
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "amin", "any", "all", "var"])
def test_halves_are_reduced_as_the_float32_numbers_they_are(layouts, name, dims, dtype):
    x = np.random.default_rng(0).choice([0.5, 0.75, 1, 1.25, 2], (3, 40, 50)).astype("float32")
    if dims is None:
        x = x[:, :4, :5]  # whose product is no infinity
    halves = ops.cast(ops.share_buffer(x), dtype)
    op = getattr(ops, name)
    want = op(ops.cast(halves, cpu.float32), dims)
    want = want if want.dtype is cpu.bool_ else ops.cast(want, dtype)
    turned = halves.view((halves.shape[::-1], halves.strides[::-1], 0))
    back = turned.view((turned.shape[::-1], turned.strides[::-1], 0))
    column_major = ops.contiguous(turned)
    column_major = column_major.view((halves.shape, column_major.strides[::-1], 0))
    for a in (halves, back, column_major):
        got = op(a, dims)
        assert got.dtype is want.dtype
        np.testing.assert_allclose(got.tolist(), want.tolist(), rtol=1e-2)


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=["float16", "bfloat16"])
def test_extremes_of_halves_and_their_places(dtype):
    x = np.random.default_rng(0).permutation(120).reshape(4, 30).astype("float32")
    x[2, 7] = np.nan
    a = ops.cast(ops.share_buffer(x), dtype)
    for dim in (0, 1):
        values, indices = ops.max(a, dim)
        assert values.dtype is dtype
        np.testing.assert_array_equal(indices.tolist(), np.argmax(x, dim))
        np.testing.assert_array_equal(values.tolist(), np.max(x, dim))
        np.testing.assert_array_equal(ops.argmin(a, dim).tolist(), np.argmin(x, dim))
