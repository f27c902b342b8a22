"""Dtypes as objects, promotion, and casts between all of them."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

DTYPES = [cpu.bool_, cpu.uint8, cpu.int8, cpu.int32, cpu.int64, cpu.float16, cpu.bfloat16,
          cpu.float32, cpu.float64]  # fmt: skip
dtypes = st.sampled_from(DTYPES)


def category(dtype):
    return 0 if dtype is cpu.bool_ else 2 if dtype.is_floating_point else 1


def expected(a, b):
    """PyTorch's rule in words: the higher category wins; within one, the wider type."""
    if category(a) != category(b):
        return max(a, b, key=category)
    if a.itemsize == b.itemsize and a is not b:
        # float16 with bfloat16; uint8 with int8, whose int16 (in PyTorch) norch only stores
        return cpu.float32 if category(a) == 2 else cpu.int32
    return max(a, b, key=lambda t: t.itemsize)


@pytest.mark.parametrize(("a", "b"), [*itertools.product(DTYPES, DTYPES)])
def test_promotion_of_every_pair(a, b):
    assert cpu.promote_types(a, b) is expected(a, b)
    x, y = ops.ones((2,), a), ops.ones((2,), b)
    assert ops.add(x, y).dtype is expected(a, b)
    assert ops.eq(x, y).tolist() == [True, True]


@given(dtypes, dtypes, dtypes)
def test_promotion_is_a_join(a, b, c):
    join = cpu.promote_types
    assert join(a, b) is join(b, a)
    assert join(a, a) is a
    assert join(join(a, b), c) is join(a, join(b, c))
    assert join(a, cpu.bool_) is a and join(a, cpu.float64) is cpu.float64


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_lifts_only_the_category(dtype):
    x = ops.ones((2,), dtype)
    assert ops.add(x, True).dtype is dtype
    assert ops.add(x, 1).dtype is (cpu.int64 if dtype is cpu.bool_ else dtype)
    assert ops.add(1.5, x).dtype is (dtype if dtype.is_floating_point else cpu.float32)


@pytest.mark.parametrize(("dims", "zero_dim"), [*itertools.product(DTYPES, DTYPES)])
def test_a_zero_dimensional_array_lifts_only_the_category(dims, zero_dim):
    got = ops.add(ops.ones((2,), dims), ops.ones((), zero_dim)).dtype
    lifts = category(zero_dim) > category(dims)
    assert got is (cpu.promote_types(dims, zero_dim) if lifts else dims)


def test_dtypes_are_single_hashable_picklable_objects():
    assert len(set(DTYPES)) == 9
    for dtype in DTYPES:
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is dtype
        assert ops.ones((1,), dtype).dtype is dtype
    assert repr(cpu.float32) == "norch.float32" and repr(cpu.bool_) == "norch.bool"
    assert [t.itemsize for t in DTYPES] == [1, 1, 1, 4, 8, 2, 2, 4, 8]
    with pytest.raises(TypeError):
        cpu.DType()


NUMPY = ("bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64")


@pytest.mark.parametrize(("source", "target"), [*itertools.product(NUMPY, NUMPY)])
def test_casts_as_numpy(check, source, target):
    x = np.random.default_rng(0).uniform(0, 100, (3, 4, 37)).astype(source)
    to = cpu.bool_ if target == "bool" else getattr(cpu, target)
    check(lambda a: ops.cast(a, to), x.astype(target), x)


def test_a_float_out_of_range_becomes_the_lowest_integer():  # as x86 does, without trapping
    x = ops.from_list([math.nan, math.inf, -math.inf, 1e30], cpu.float64)
    assert ops.cast(x, cpu.int64).tolist() == [-(2**63)] * 4
    assert ops.cast(x, cpu.int32).tolist() == [-(2**31)] * 4
    assert ops.cast(ops.from_list([-1.0, 256.0, 300.5]), cpu.uint8).tolist() == [255, 0, 44]
    assert ops.cast(ops.from_list([0.5, 0.0, math.nan]), cpu.bool_).tolist() == [True, False, True]


def test_every_float16_survives_the_round_trip():
    bits = np.arange(2**16, dtype="uint16").view("float16")
    wide = ops.cast(ops.share_buffer(bits), cpu.float32)
    np.testing.assert_array_equal(np.asarray(wide), bits.astype("float32"))
    np.testing.assert_array_equal(np.asarray(ops.cast(wide, cpu.float16)), bits)


@given(st.floats(width=32))
def test_float16_rounds_as_numpy(x):
    got = ops.cast(ops.from_list([x]), cpu.float16)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(np.asarray(got), np.array([x], "float32").astype("float16"))


@given(st.floats(width=32, allow_nan=False))
def test_bfloat16_keeps_the_nearest_of_its_neighbours(x):
    got = ops.cast(ops.cast(ops.from_list([x]), cpu.bfloat16), cpu.float32).item()
    bits = np.array([x], "float32").view("uint32")[0]
    down = np.array([bits & 0xFFFF0000], "uint32").view("float32")[0]
    up = np.array([min((bits & 0xFFFF0000) + 0x10000, 0xFFFFFFFF)], "uint32").view("float32")[0]
    if math.isinf(x) or math.isinf(got) or math.isinf(float(up)):
        assert got == x or abs(x) > 3.38e38
    else:
        assert abs(got - x) == min(abs(float(down) - x), abs(float(up) - x))
