"""Elementwise operations against NumPy: all dtypes, any layout, empty, zero-dim, non-finite."""

import ctypes
import math
import operator
import sys

import numpy as np
import pytest

import norch_cpu_ops as cpu
import norch_strides
from norch_cpu_ops import ops

NUMBERS = ("float32", "float64", "int64", "int32", "uint8")
FLOATS = ("float32", "float64")
INTEGERS = ("int64", "int32", "uint8")
ALL = (*NUMBERS, "bool")
SHAPES = ((2, 3, 37), (0, 3), ())
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 1e-40, 3e38, -3e38, 0.5, -0.5]
RTOL = {"float32": 1e-6, "float64": 1e-14}

erf = np.vectorize(math.erf, otypes=[np.float64])


def numbers(shape, dtype, seed=0, low=-5.0, high=5.0):
    x = np.random.default_rng(seed).uniform(low, high, shape)
    if dtype == "bool":
        return np.asarray(x > 0)
    return np.asarray(np.abs(x) if dtype == "uint8" else x).astype(dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def as_float(dtype):
    return dtype if dtype in FLOATS else "float32"


# Functions of real numbers: integers become float32. Computed by NumPy in float64.
REAL = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2,
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "tanh": np.tanh, "sigmoid": sigmoid, "reciprocal": lambda x: 1 / x, "erf": erf,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", REAL)
def test_functions_of_real_numbers(check, name, dtype):
    result = as_float(dtype)
    for shape in SHAPES:
        x = numbers(shape, dtype, low=0.01 if name in ("log", "log2", "sqrt", "rsqrt") else -0.9)
        check(getattr(ops, name), lambda x: REAL[name](x.astype("float64")), x, dtype=result,
              rtol=RTOL[result], atol=1e-7)  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", REAL)
def test_functions_at_the_edges_of_the_line(check, name, dtype):  # infinite, NaN, tiny, huge
    x = np.array(SPECIAL * 3, dtype)
    check(getattr(ops, name), lambda x: REAL[name](x.astype("float64")), x, dtype=dtype,
          rtol=RTOL[dtype], atol=1e-45)  # fmt: skip


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "exp", "erf"])
def test_saturation_at_200_gives_no_nan(check, name):
    check(getattr(ops, name), lambda x: REAL[name](x.astype("float64")),
          np.array([-200.0, 200.0], "float32"), dtype="float32", rtol=1e-6)  # fmt: skip


@pytest.mark.parametrize(("dtype", "units"), [("float32", 1.5), ("float64", 3)])
def test_exp_is_right_to_the_last_digits_up_to_its_limits(dtype, units):
    end = 87 if dtype == "float32" else 708
    x = np.linspace(-end, end, 200_001).astype(dtype)
    exact = np.exp(x.astype("longdouble"))
    error = np.abs(np.asarray(ops.exp(ops.share_buffer(x))) - exact)
    assert (error <= units * np.spacing(exact.astype(dtype))).all()


@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 2e-6), ("float64", 1e-14)])
def test_erfinv_turns_erf_round(dtype, rtol):
    y = np.concatenate([-np.geomspace(1e-6, 3.5, 200), np.geomspace(1e-6, 3.5, 200)])
    x = erf(y).astype(dtype)  # near 1, the last digit of x is worth many of y
    slack = np.finfo(dtype).eps * np.exp(y * y)
    got = np.asarray(ops.erfinv(ops.share_buffer(x)))
    assert got.dtype == dtype
    assert (np.abs(got - y) <= rtol * np.abs(y) + slack).all()
    ends = ops.erfinv(ops.from_list([0.0, 1.0, -1.0, 1.5, math.nan], getattr(cpu, dtype))).tolist()
    assert ends[:3] == [0.0, math.inf, -math.inf] and all(map(math.isnan, ends[3:]))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_trigonometry_far_from_zero(check, name):
    x = numbers((1000,), "float32", low=-1e9, high=1e9)
    check(getattr(ops, name), REAL[name](x.astype("float64")), x, dtype="float32", rtol=1e-6)


SAME_TYPE = {
    "abs": (np.abs, ALL), "neg": (np.negative, NUMBERS), "square": (np.square, NUMBERS),
    "relu": (lambda x: np.maximum(x, 0), NUMBERS),
    "sign": (lambda x: np.nan_to_num(np.sign(x)), NUMBERS),
    "floor": (np.floor, ALL), "ceil": (np.ceil, ALL), "round": (np.round, ALL),
    "trunc": (np.trunc, ALL), "bitwise_not": (np.invert, (*INTEGERS, "bool")),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "dtype"), [(n, d) for n, (_, ds) in SAME_TYPE.items() for d in ds]
)
def test_functions_that_keep_the_type(check, name, dtype):
    for shape in SHAPES:
        check(getattr(ops, name), SAME_TYPE[name][0], numbers(shape, dtype), dtype=dtype)
    if dtype in FLOATS:
        check(getattr(ops, name), SAME_TYPE[name][0], np.array([*SPECIAL, 2.5, 3.5], dtype))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(("name", "reference"), [
    ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite),
    ("logical_not", np.logical_not),
])  # fmt: skip
def test_questions_about_one_number(check, name, reference, dtype):
    x = np.array(SPECIAL, dtype) if dtype in FLOATS else numbers((3, 4), dtype)
    check(getattr(ops, name), reference, x, dtype="bool")


ARITHMETIC = {
    "add": (np.add, ALL), "sub": (np.subtract, NUMBERS), "mul": (np.multiply, ALL),
    "maximum": (np.maximum, ALL), "minimum": (np.minimum, ALL),
    "floor_divide": (np.floor_divide, NUMBERS), "remainder": (np.remainder, NUMBERS),
    "fmod": (np.fmod, NUMBERS), "bitwise_and": (np.bitwise_and, (*INTEGERS, "bool")),
    "bitwise_or": (np.bitwise_or, (*INTEGERS, "bool")),
    "bitwise_xor": (np.bitwise_xor, (*INTEGERS, "bool")),
}  # fmt: skip
BROADCASTS = [
    ((2, 3, 37), (2, 3, 37)), ((2, 3, 37), (3, 1)), ((37,), (2, 3, 37)), ((2, 3, 37), ()),
    ((4, 1), (1, 5)), ((0, 3), (1,)), ((), ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "dtype"), [(n, d) for n, (_, ds) in ARITHMETIC.items() for d in ds]
)
def test_arithmetic(check, name, dtype):
    divides = name in ("floor_divide", "remainder", "fmod")
    for shape_a, shape_b in BROADCASTS:
        a, b = numbers(shape_a, dtype, 1), numbers(shape_b, dtype, 2)
        if divides:
            b = np.where(b == 0, np.asarray(3, dtype), b)
        check(getattr(ops, name), ARITHMETIC[name][0], a, b, dtype=dtype)


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "maximum", "minimum", "div", "atan2", "fmod"]
)
def test_arithmetic_of_non_finite_numbers(check, name):
    reference = {"div": np.divide, "atan2": np.arctan2}.get(name) or ARITHMETIC[name][0]
    a, b = (np.array(x, "float32") for x in zip(*[(x, y) for x in SPECIAL for y in SPECIAL],
                                                strict=True))  # fmt: skip
    check(getattr(ops, name), reference, a, b, rtol=1e-6)


@pytest.mark.parametrize("dtype", ALL)
def test_div_is_true_division(check, dtype):
    a, b = numbers((4, 5), dtype, 1), numbers((4, 5), dtype, 2)
    result = as_float(dtype)
    check(ops.div, lambda a, b: a.astype(result) / b.astype(result), a, b)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("exponent", [3, 2, 0.5, -0.5, -1, -2, 1, 0, 5, 1.5])
def test_pow_of_a_number(check, dtype, exponent):
    x = numbers((5, 37), dtype, 1, low=0.1)
    check(lambda a: ops.pow(a, exponent), lambda a: a.astype("float64") ** exponent, x, dtype=dtype,
          rtol=RTOL[dtype])  # fmt: skip


def test_pow_of_plain_floats_is_right_to_the_last_digit():  # infinity and subnormals included
    rng = np.random.default_rng(0)
    a, b = np.exp(rng.uniform(-80, 80, 50_000)), rng.uniform(-8, 8, 50_000)
    a, b = a.astype("float32"), b.astype("float32")
    with np.errstate(over="ignore"):
        exact = a.astype("float64") ** b.astype("float64")
        spacing = np.spacing(np.minimum(exact, 3e38).astype("float32"))
        got = np.asarray(ops.pow(ops.share_buffer(a), ops.share_buffer(b)))
        finite = exact < 3.4e38
    assert (np.abs(got - exact)[finite] <= 0.51 * spacing[finite]).all()
    assert np.isinf(got[exact > 3.5e38]).all() and (got[exact < 1e-46] == 0).all()


def test_pow_at_the_edges_of_the_line(check):
    line = [*SPECIAL, 2.0, 3.0]
    pairs = np.array([(x, y) for x in line for y in line], "float32")
    a, b = (np.ascontiguousarray(column) for column in pairs.T)
    check(ops.pow, np.power, a, b, rtol=1e-6, atol=1e-45)


@pytest.mark.parametrize("dtype", FLOATS)
def test_pow_of_floats(check, dtype):
    a, b = numbers((5, 7), dtype, 1, low=0.1), numbers((5, 7), dtype, 2)
    check(ops.pow, np.power, a, b, rtol=RTOL[dtype])
    for exponent in (2, 2.0, 3, 0.5, -1, -0.5, 0, 1.7):
        check(ops.pow, a.astype("float64") ** exponent, a, exponent, dtype=dtype, rtol=RTOL[dtype])
    check(ops.pow, np.power(2.0, b), 2, b, dtype=dtype, rtol=RTOL[dtype])


def test_pow_of_integers_wraps_and_rounds_towards_zero(check):
    a = np.array([0, 1, 2, 3, -2, -1, 7], "int64")
    check(ops.pow, a**3, a, 3)
    check(ops.pow, np.array([9, -1, 0], "int64") ** 40, np.array([9, -1, 0], "int64"), 40)
    got = ops.pow(ops.from_list([1, -1, -1, 2, 3]), ops.from_list([-3, -3, -2, -1, 0]))
    assert got.tolist() == [1, -1, 1, 0, 1]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
                                  "logical_xor"])  # fmt: skip
def test_comparisons(check, name, dtype):
    renamed = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
               "ge": "greater_equal"}  # fmt: skip
    reference = getattr(np, renamed.get(name, name))
    for shape_a, shape_b in BROADCASTS:
        a, b = numbers(shape_a, dtype, 1, -2, 2), numbers(shape_b, dtype, 2, -2, 2)
        check(getattr(ops, name), reference, a, b, dtype="bool")
    if dtype in FLOATS:
        special = np.array(SPECIAL, dtype)
        check(getattr(ops, name), reference, special, special[::-1].copy(), dtype="bool")


def test_integers_wrap_and_never_trap():
    low = ops.full((3,), -(2**63), cpu.int64)
    assert ops.sub(low, 1).tolist() == [2**63 - 1] * 3
    assert ops.abs(low).tolist() == [-(2**63)] * 3
    assert ops.floor_divide(low, -1).tolist() == [-(2**63)] * 3
    assert ops.remainder(low, -1).tolist() == [0] * 3
    assert ops.add(ops.full((2,), 250, cpu.uint8), 10).tolist() == [4, 4]


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_an_integer_divided_by_zero_raises(name):
    with pytest.raises(RuntimeError, match=rf"^\[{name}\] ZeroDivisionError"):
        getattr(ops, name)(ops.arange(0, 100000, 1, cpu.int64), 0)


@pytest.mark.parametrize("dtype", ALL)
def test_where(check, dtype):
    for shape_a, shape_b in BROADCASTS:
        a, b = numbers(shape_a, dtype, 1), numbers(shape_b, dtype, 2)
        check(ops.where, np.where, numbers(np.broadcast_shapes(shape_a, shape_b), "bool", 3), a, b)
    condition = numbers((3, 1), "bool", 3)
    check(ops.where, np.where, condition, numbers((1, 4), dtype), numbers((3, 4), dtype, 2))
    condition, x, one = numbers((3, 37), "bool", 3), numbers((3, 37), dtype), numbers((), dtype, 2)
    for a, b in ((x, one), (one, x), (one, one)):  # one number for all, as in masked_fill
        check(ops.where, np.where, condition, a, b)
    check(ops.where, np.where, numbers((), "bool", 3), x, one)  # and one condition


def test_where_with_numbers():
    condition = ops.from_list([True, False])
    assert ops.where(condition, 1.0, 0).tolist() == [1.0, 0.0]
    assert ops.where(condition, 1, 0).dtype is cpu.int64
    x = ops.from_list([1.0, 2.0], cpu.float64)
    assert ops.where(condition, x, 0).dtype is cpu.float64
    small = ops.from_list([1, 2], cpu.int8)  # computed in a wider type, which holds 200
    assert ops.where(condition, small, -3).tolist() == [1, -3]
    with pytest.raises(RuntimeError, match=r"\[where\] the number 200 does not fit int8"):
        ops.where(condition, small, 200)


@pytest.mark.parametrize("dtype", ALL)
def test_clamp(check, dtype):
    x = numbers((3, 37), dtype)
    bounds = (False, True) if dtype == "bool" else (1, 3)
    check(lambda a: ops.clamp(a, *bounds), np.clip(x, *bounds), x)
    check(lambda a: ops.clamp(a, min=bounds[0]), np.maximum(x, np.asarray(bounds[0], dtype)), x)
    check(lambda a: ops.clamp(a, max=bounds[1]), np.minimum(x, np.asarray(bounds[1], dtype)), x)


def test_clamp_lets_nan_pass_and_the_upper_bound_win():
    x = ops.from_list([math.nan, -math.inf, math.inf])
    assert ops.clamp(x, 2, 1).tolist()[1:] == [1.0, 1.0]
    assert math.isnan(ops.clamp(x, 0, 1).tolist()[0])
    assert ops.clamp(ops.from_list([1, 2, 3]), max=2.5).dtype is cpu.float32


@pytest.mark.parametrize("bounds", [(math.nan, 1.0), (0.0, math.nan), (math.nan, None)])
def test_nothing_lies_within_a_bound_that_is_nan(bounds):
    assert all(map(math.isnan, ops.clamp(ops.from_list([-1.0, 0.5, 9.0]), *bounds).tolist()))


MIXED = [("int64", "float32"), ("float64", "float32"), ("bool", "int32"), ("uint8", "float16"),
         ("float16", "float32"), ("int32", "int64")]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), MIXED)
@pytest.mark.parametrize("shapes", [
    ((3, 1500), (3, 1500)), ((3, 1500), (1500,)), ((40, 50), (40, 1)),
])  # fmt: skip
def test_operands_of_two_dtypes_meet_in_blocks(check, left, right, shapes):
    a, b = (numbers(shape, dtype, k, 0, 9) for k, (shape, dtype) in
            enumerate(zip(shapes, (left, right), strict=True)))  # fmt: skip
    result = np.dtype("float32" if "float32" in (left, right) and "float64" not in (left, right)
                      else np.promote_types(left, right))  # fmt: skip
    wide = np.promote_types(result, "float32") if result.kind == "f" else result
    check(ops.mul, lambda a, b: (a.astype(wide) * b.astype(wide)).astype(result), a, b)
    check(ops.lt, lambda a, b: a.astype(wide) < b.astype(wide), a, b)


def allocations():
    stats = cpu.memory_stats()
    return stats["system_allocations"] + stats["cache_hits"]


@pytest.mark.parametrize("call", [
    lambda x, y, h: ops.add(x, y), lambda x, y, h: ops.mul(h, h), lambda x, y, h: ops.exp(h),
    lambda x, y, h: ops.gt(h, x), lambda x, y, h: ops.clamp(h, 0, 1),
    lambda x, y, h: ops.gelu(h), lambda x, y, h: ops.relu_backward(h, h),
    lambda x, y, h: ops.isnan(h),
])  # fmt: skip
def test_conversion_makes_no_copy_of_an_operand(call):
    x = ops.ones((5000,), cpu.float32)
    y, h = ops.ones((5000,), cpu.int64), ops.ones((5000,), cpu.float16)
    before = allocations()
    call(x, y, h)
    assert allocations() - before == 1


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16])
def test_halves_are_edited_where_they_are(dtype):
    a = ops.cast(ops.share_buffer(numbers((3, 1500), "float32")), dtype)
    want = ops.mul(ops.add(ops.cast(a, cpu.float32), 1.5), 2).tolist()
    before = allocations()
    ops.add_(a, 1.5)
    assert allocations() == before
    ops.mul_(a, ops.full((3, 1500), 2, cpu.int32))
    ops.add_(a, a)
    got = np.array(ops.cast(a, cpu.float32).tolist())
    np.testing.assert_allclose(got, 2 * np.array(want), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16])
def test_halves_are_computed_in_float32(dtype):
    a = ops.cast(ops.from_list([0.1, 1.0, 300.0]), dtype)
    assert ops.add(a, a).dtype is dtype and ops.exp(a).dtype is dtype and ops.sum(a).dtype is dtype
    assert ops.gt(a, 0.5).tolist() == [False, True, True]
    assert ops.where(ops.gt(a, 0.5), a, 0.0).dtype is dtype
    assert ops.clamp(a, max=1).tolist()[1:] == [1.0, 1.0]
    assert ops.mul(a, 2).tolist() == ops.cast(ops.mul(ops.cast(a, cpu.float32), 2), dtype).tolist()
    ops.add_(a, 1)
    assert a.dtype is dtype and a.tolist()[1] == 2.0


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda x: ops.add(x, "2"), TypeError, r"\[add\] expected an Array or a number, got str"),
    (lambda x: ops.add(1, 2), TypeError, r"\[add\] expected an Array, got two numbers"),
    (lambda x: ops.exp(2.0), TypeError, r"\[exp\] expected an Array, got float"),
    (lambda x: ops.add(x, ops.ones((4,), cpu.float32)), RuntimeError, r"\(2, 3\).*\(4,\)"),
    (lambda x: ops.sub(ops.ones((2,), cpu.bool_), True), RuntimeError,
     r"\[sub\] bools have no minus"),
    (lambda x: ops.sub(1, ops.gt(x, 0)), RuntimeError, r"\[sub\] bools have no minus"),
    (lambda x: ops.sub_(x, True), RuntimeError, r"\[sub\] bools have no minus"),
    (lambda x: ops.add(x, np.ones(3)), TypeError, r"or a number, got numpy.ndarray"),
    (lambda x: ops.neg(ops.ones((2,), cpu.bool_)), RuntimeError, r"\[neg\] is not defined"),
    (lambda x: ops.bitwise_and(x, x), RuntimeError, r"\[bitwise_and\] is not defined for float32"),
    (lambda x: ops.where(x, x, x), RuntimeError, r"\[where\] the condition is float32"),
    (lambda x: ops.clamp(x), RuntimeError, r"\[clamp\] at least one of min and max"),
    (lambda x: ops.pow(ops.ones((2,), cpu.int64), -1), RuntimeError, r"negative integer power"),
    (lambda x: ops.add(ops.ones((2,), cpu.int32), 2**40), RuntimeError, r"does not fit int32"),
    (lambda x: ops.where(ops.gt(x, 1), ops.ones((3,), cpu.uint8), 300), RuntimeError,
     r"\[where\] the number 300 does not fit uint8"),
    (lambda x: ops.add(x, 2**70), RuntimeError, r"64 bits"),
])  # fmt: skip
def test_bad_input_is_refused_in_words(call, kind, message):
    with pytest.raises(kind, match=message):
        call(ops.ones((2, 3), cpu.float32))


def test_every_instruction_set_gives_the_same_answers(check, instruction_set):
    x = numbers((3, 67), "float32")
    for name in REAL:
        y = np.abs(x) if name in ("log", "log2", "sqrt", "rsqrt", "log1p") else x
        check(getattr(ops, name), lambda a, f=REAL[name]: f(a.astype("float64")), y,
              dtype="float32", rtol=1e-6, atol=1e-7)  # fmt: skip
    check(ops.sum, np.sum, x.astype("int64"))
    check(ops.argmax, np.argmax, x)
    check(ops.add, np.add, x, x[:, ::-1].copy())


OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_the_functions_written_shorter(name):
    function, spelled = getattr(ops, name), OPERATORS[name]
    a = ops.from_buffer(numbers((4, 3), "float32", 1).T)
    row = ops.from_buffer(numbers((4,), "float64", 2))
    for x, y in [(a, row), (row, a), (a, 2.5), (2.5, a), (a, 3), (7, a)]:
        assert spelled(x, y).tolist() == function(x, y).tolist()
        assert spelled(x, y).dtype is function(x, y).dtype


def test_minus_and_matmul_as_operators():
    a = ops.from_buffer(numbers((4, 3), "float32", 1).T)
    assert (-a).tolist() == ops.neg(a).tolist()
    assert (a @ ops.from_buffer(np.eye(4, dtype="float32"))).tolist() == a.tolist()


@pytest.mark.parametrize("spelled", [*OPERATORS.values(), operator.matmul])
def test_operators_refuse_what_is_neither_array_nor_number(spelled):
    a = ops.ones((2,), cpu.float32)
    for x, y in [(a, None), (a, {}), (object(), a)]:
        with pytest.raises(TypeError, match="unsupported operand"):
            spelled(x, y)
    with pytest.raises(RuntimeError, match="shapes"):
        spelled(ops.ones((2, 3), cpu.float32), ops.ones((4, 5), cpu.float32))


@pytest.mark.parametrize("step", [2, 3, -2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int64"])
def test_operands_with_gaps_are_gathered(step, dtype):
    x, y = (numbers((3, 5000), dtype, seed, low=1.0) for seed in (1, 2))
    a, b = (ops.share_buffer(v) for v in (x, y))
    a, b = (v.view(norch_strides.slice_dim(v.layout, 1, None, None, step)) for v in (a, b))
    x, y = x[:, ::step], y[:, ::step]
    np.testing.assert_array_equal(np.asarray(ops.mul(a, b)), x * y)
    np.testing.assert_array_equal(np.asarray(a + b), x + y)
    expected = np.log(x.astype("float64"))
    np.testing.assert_allclose(np.asarray(ops.log(a)), expected, rtol=1e-6, atol=1e-7)


# The direct row: two short runs of one shape and dtype, or one and a number, bit by bit against the
# general way, which runs with gaps take.

REAL_PAIRS = ("add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "maximum",
              "minimum", "atan2", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
              "logical_xor")  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", REAL_PAIRS)
def test_runs_without_gaps_give_the_bits_that_runs_with_gaps_give(name, dtype):
    def agree(got, want):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert np.asarray(got).tobytes() == np.asarray(want).tobytes()

    function = getattr(ops, name)
    for shape in ((), (0, 3), (1, 1), (7,), (8, 8), (3, 37, 41), (1 << 15,), (3, 1 << 14)):
        x, y = (np.array(numbers(shape, dtype, seed)) for seed in (1, 2))
        x.flat[: len(SPECIAL)] = np.array(SPECIAL, "float64")[: x.size].astype(dtype)
        wide = np.zeros((*shape, 2), dtype)
        wide[..., 1] = y
        a, b, gaps = (ops.share_buffer(each) for each in (x, y, wide[..., 1]))
        agree(function(a, b), function(a, gaps))
        for number in (2.7, -3, 0.5, math.inf, 2**60 + 1):
            agree(function(b, number), function(gaps, number))
            agree(function(number, b), function(number, gaps))


def test_a_bool_is_refused_by_sub_on_every_way():
    for shape in ((2,), (1 << 16,)):
        with pytest.raises(RuntimeError, match=r"\[sub\] bools have no minus"):
            ops.sub(ops.ones(shape, cpu.float32), True)


def large_side() -> int:
    """Return the side of a square of float32 that is stored past the caches (ops/stream.cpp)."""
    own = ctypes.CDLL(None).sysconf(191) if sys.platform == "linux" else 0  # _SC_LEVEL2_CACHE_SIZE
    return math.isqrt((16 * own if own > 0 else 1 << 25) // 4) + 3


def test_results_larger_than_the_caches_are_right_to_their_last_element(instruction_set):
    before, side = cpu.get_num_threads(), large_side()
    a = np.arange(side * (side + 1), dtype=np.float32).reshape(side, side + 1)[:, 1:]
    x, b = ops.share_buffer(a), np.arange(side, dtype=np.float32)  # rows of x begin anywhere
    try:
        cpu.set_num_threads(2)
        row = ops.share_buffer(np.broadcast_to(b, a.shape))
        same = np.testing.assert_array_equal
        ops.full(a.shape, 0, cpu.float32)  # leaves memory that has been touched
        same(np.asarray(ops.add(x, row)), a + b)
        ops.full(a.shape, 0, cpu.float64)
        same(np.asarray(ops.cast(x, cpu.float64)), a.astype(np.float64))
        same(np.asarray(ops.full(a.shape, 3, cpu.float32)), a * 0 + 3)
        y = ops.clone(x)
        same(np.asarray(y), a)
        ops.add_(y, x)  # in place: what is written is read, too
        same(np.asarray(y), a + a)
    finally:
        cpu.set_num_threads(before)


@pytest.mark.parametrize("function", [ops.exp, ops.sin])
def test_new_memory_and_used_memory_get_the_same_bits(function, instruction_set):
    a = numbers((large_side() ** 2,), "float32")
    a[::1500] = 1e6  # beyond the short form, in some blocks of 1024 and not in others
    x = ops.share_buffer(a)
    cpu.empty_cache()
    new = np.array(function(x))
    np.testing.assert_array_equal(np.asarray(function(x)), new)  # in what the first one left
