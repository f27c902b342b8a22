"""Operations that write into an array: values, versions, overlap, refusals."""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

IN_PLACE = {"add_": np.add, "sub_": np.subtract, "mul_": np.multiply, "div_": np.divide}


FLOATS = ("float32", "float64")
PAIRS = [(name, dtype) for name in IN_PLACE for dtype in (*FLOATS, "int64", "int32", "uint8")
         if name != "div_" or dtype in FLOATS]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_in_place_arithmetic_on_any_layout(layouts, name, dtype):
    x = np.random.default_rng(0).integers(1, 9, (3, 4, 5)).astype(dtype)
    for other in (x[0], np.asarray(2, dtype), x[:, :1], np.flip(x)):
        for target in layouts(x):
            want = IN_PLACE[name](x, other).astype(dtype)
            array = ops.share_buffer(target)
            assert getattr(ops, name)(array, ops.share_buffer(other)) is None
            np.testing.assert_array_equal(target, want)
            assert array.version == 1


ODD = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.5, -2.0, 3e38])


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("other", [*ODD.tolist(), "each"], ids=str)
def test_in_place_arithmetic_on_what_is_not_finite(layouts, name, dtype, other):
    x = np.repeat(ODD, len(ODD)).reshape(-1, len(ODD)).astype(dtype)
    other = ODD.astype(dtype) if other == "each" else other
    with np.errstate(all="ignore"):
        want = IN_PLACE[name](x, np.asarray(other, dtype))
    for target in layouts(x)[:4]:  # the last one is broadcast
        given = ops.share_buffer(other) if isinstance(other, np.ndarray) else other
        getattr(ops, name)(ops.share_buffer(target), given)
        np.testing.assert_array_equal(target, want)
        np.testing.assert_array_equal(np.signbit(target[want == 0]), np.signbit(want[want == 0]))


def test_version_is_shared_by_views_and_counts_every_write():
    a = ops.zeros((2, 3), cpu.float32)
    row = a.view(((3,), (1,), 3))
    ops.add_(row, 1)
    ops.fill_(a, 2)
    ops.copy_(row, [a][0].view(((3,), (1,), 0)))
    ops.mul_(row, a.view(((3,), (1,), 0)))
    assert a.version == row.version == 4
    ops.add(a, 1)
    assert a.version == 4  # reading counts nothing
    assert a.tolist() == [[2.0] * 3, [4.0] * 3]


def test_a_failed_write_changes_neither_elements_nor_version():
    a = ops.from_list([1, 2, 3])
    for call in (lambda: ops.div_(a, 2), lambda: ops.add_(a, 0.5), lambda: ops.add_(a, "x"),
                 lambda: ops.add_(a, ops.ones((4,), cpu.int64)),
                 lambda: ops.copy_(a, ops.ones((2, 3), cpu.int64))):  # fmt: skip
        with pytest.raises((RuntimeError, TypeError)):
            call()
    assert a.tolist() == [1, 2, 3] and a.version == 0


def test_in_place_result_type_must_fit():
    a = ops.ones((3,), cpu.int64)
    with pytest.raises(RuntimeError, match=r"\[div_\] the result is float32.*int64"):
        ops.div_(a, 2)
    with pytest.raises(RuntimeError, match=r"\[add_\] the result is int64.*bool"):
        ops.add_(ops.ones((3,), cpu.bool_), a)
    b = ops.ones((3,), cpu.float32)
    ops.add_(b, ops.full((3,), 0.5, cpu.float64))  # narrowing inside a category is allowed
    ops.add_(b, a)
    assert b.tolist() == [2.5] * 3


@pytest.mark.parametrize("shift", [1, -1, 3])
def test_copy_between_overlapping_views(shift):
    x = np.arange(20, dtype="float32")
    want = x.copy()
    target, source = (slice(3, 17), slice(3 + shift, 17 + shift))
    want[target] = x[source]
    ops.copy_(ops.share_buffer(x[target]), ops.share_buffer(x).view(((14,), (1,), 3 + shift)))
    a = ops.from_list(list(range(20)), cpu.float32)
    ops.copy_(a.view(((14,), (1,), 3)), a.view(((14,), (1,), 3 + shift)))
    assert a.tolist() == want.tolist()


def test_reversing_and_transposing_an_array_onto_itself():
    a = ops.arange(0, 9, 1, cpu.float32)
    ops.copy_(a, a.view(((9,), (-1,), 8)))
    assert a.tolist() == list(range(8, -1, -1))
    square = ops.arange(0, 9, 1, cpu.int64).view(((3, 3), (3, 1), 0))
    ops.copy_(square, square.view(((3, 3), (1, 3), 0)))
    assert square.tolist() == np.arange(9).reshape(3, 3).T.tolist()
    ops.add_(square, square.view(((3, 3), (1, 3), 0)))
    assert square.tolist() == (np.arange(9).reshape(3, 3).T + np.arange(9).reshape(3, 3)).tolist()


def test_copy_broadcasts_and_casts():
    a = ops.zeros((2, 3), cpu.int64)
    ops.copy_(a, ops.from_list([1.9, -1.9, 3.0]))
    assert a.tolist() == [[1, -1, 3]] * 2
    ops.copy_(a, 7)
    assert a.tolist() == [[7] * 3] * 2
    with pytest.raises(RuntimeError, match=r"\[copy_\].*\(2, 1, 3\).*\(2, 3\)"):
        ops.copy_(a, ops.ones((2, 1, 3), cpu.int64))


def test_read_only_memory_is_never_written():
    a = ops.share_buffer(b"\x01\x02\x03")
    for call in (lambda: ops.add_(a, 1), lambda: ops.fill_(a, 0), lambda: ops.copy_(a, a)):
        with pytest.raises(ValueError, match="read-only"):
            call()
    assert a.tolist() == [1, 2, 3] and a.version == 0


def test_an_expanded_destination_is_refused():
    a = ops.ones((3,), cpu.float32).view(((4, 3), (0, 1), 0))
    with pytest.raises(RuntimeError, match=r"\[add_\] the destination was expanded"):
        ops.add_(a, 1)
