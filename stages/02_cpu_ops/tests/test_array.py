"""The class Array: attributes, views, bounds, buffers both ways, lists, creation, copies."""

import array
import ctypes
import gc
import itertools
import math
import subprocess
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given, strategies as st

import norch_cpu_ops as cpu
import norch_strides as strides
from norch_cpu_ops import ops


def test_attributes_of_a_view():
    a = ops.arange(0, 24, 1, cpu.int32).view(strides.Layout((2, 3), (12, 2), 1))
    assert (a.shape, a.strides, a.offset, a.ndim, a.numel) == ((2, 3), (12, 2), 1, 2, 6)
    assert a.dtype is cpu.int32 and (a.itemsize, a.nbytes, a.device) == (4, 24, "cpu")
    assert not a.is_contiguous and len(a) == 2 and a.ops is ops
    assert a.layout == strides.Layout((2, 3), (12, 2), 1)
    assert isinstance(a.layout, strides.Layout)
    assert a.tolist() == [[1, 3, 5], [13, 15, 17]]
    assert ops.clone(a).data_ptr % 64 == 0


def test_views_share_storage_and_copies_do_not():
    a = ops.zeros((2, 3), cpu.float32)
    b = a.view(strides.transpose(a.layout, 0, 1))
    assert a.shares_storage(b) and not a.shares_storage(ops.clone(a))
    assert ops.contiguous(a) is not None and ops.contiguous(a).shares_storage(a)
    assert not ops.contiguous(b).shares_storage(a)
    ops.fill_(b, 5)
    assert a.tolist() == [[5.0] * 3] * 2


@pytest.mark.parametrize(("layout", "kind"), [
    (((2, 3), (3, 1), 1), RuntimeError),  # one past the end
    (((2, 3), (3, 1), -1), RuntimeError),
    (((7,), (1,), 0), RuntimeError),
    (((2, 3), (-3, 1), 0), RuntimeError),
    (((2**40, 2**40), (1, 1), 0), RuntimeError),
    (((2**31, 2), (2**62, 2**62), 0), RuntimeError),  # would overflow 64 bits
    (((2, 3), (3,), 0), RuntimeError),
    (((-1,), (1,), 0), RuntimeError),
    (((1,) * 17, (1,) * 17, 0), RuntimeError),
    ("layout", TypeError),
    (((2.0, 3), (3, 1), 0), TypeError),
])  # fmt: skip
def test_a_view_never_leaves_its_storage(layout, kind):
    with pytest.raises(kind, match=r"\[view\]"):
        ops.zeros((6,), cpu.float32).view(layout)


def test_views_at_the_edges_of_the_storage_are_legal():
    a = ops.arange(0, 6, 1, cpu.int64)
    assert a.view(((6,), (-1,), 5)).tolist() == [5, 4, 3, 2, 1, 0]
    assert a.view(((0, 4), (1, 1), 6)).shape == (0, 4)
    assert a.view(((2, 3), (0, 2), 1)).tolist() == [[1, 3, 5]] * 2
    assert a.view(((), (), 5)).item() == 5


# mT, sum and reshape: what a backward formula asks of an array, under a tensor's names.


def test_mt_is_a_view_with_the_last_two_dims_exchanged(layouts):
    x = np.arange(24.0).reshape(2, 3, 4)
    for variant in layouts(x):
        a = ops.share_buffer(variant)
        np.testing.assert_array_equal(np.asarray(a.mT), np.swapaxes(x, -2, -1))
        assert a.mT.shares_storage(a) and a.mT.layout == strides.transpose(a.layout, -2, -1)
    assert ops.zeros((1, 5), cpu.float32).mT.is_contiguous


def test_sum_is_the_operation_under_a_tensors_names(layouts):
    x = np.arange(24.0).reshape(2, 3, 4)
    for variant in layouts(x):
        a = ops.share_buffer(variant)
        assert a.sum().item() == x.sum()
        np.testing.assert_array_equal(
            np.asarray(a.sum((0, -1), True)), x.sum((0, 2), keepdims=True)
        )
        np.testing.assert_array_equal(
            np.asarray(a.sum(keepdim=True, dim=1)), x.sum(1, keepdims=True)
        )
    assert ops.ones((3,), cpu.bool_).sum(0).dtype is cpu.int64


def test_reshape_is_a_view_where_stage_1_finds_one_and_a_copy_elsewhere(layouts):
    x = np.arange(24.0).reshape(2, 3, 4)
    for variant in layouts(x):
        a = ops.share_buffer(variant)
        for sizes in [(6, 4), (4, -1), (24,), (2, 3, 2, 2), (2, 1, 3, 4), (-1,)]:
            got = a.reshape(*sizes)
            np.testing.assert_array_equal(np.asarray(got), x.reshape(sizes))
            assert got.shares_storage(a) == (strides.reshape(a.layout, sizes) is not None)
    a = ops.share_buffer(x)
    assert a.reshape((6, 4)).shape == a.reshape([6, 4]).shape == (6, 4)
    assert a.reshape(24).shape == (24,) and ops.ones((1,), cpu.float32).reshape().shape == ()
    assert ops.zeros((0, 3), cpu.float32).reshape(3, -1, 2).shape == (3, 0, 2)


def test_buffers_that_name_no_strides_are_row_major():
    rows = ((ctypes.c_float * 3) * 2)((1, 2, 3), (4, 5, 6))
    a = ops.share_buffer(rows)
    assert a.strides == (3, 1) and a.tolist() == [[1, 2, 3], [4, 5, 6]]
    rows[1][0] = 9
    assert a.tolist()[1] == [9, 5, 6]
    assert ops.share_buffer((ctypes.c_int64 * 0)()).shape == (0,)


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda a: a.reshape(-1).mT, RuntimeError, r"\[mT\] expected at least 2 dimensions, got 1"),
    (lambda a: a.reshape(4, -1), RuntimeError, r"\[reshape\] shape \(4, -1\) does not hold 6"),
    (lambda a: a.reshape(-1, -1), RuntimeError, r"more than one -1"),
    (lambda a: a.mT.reshape(7), RuntimeError, r"\[reshape\] shape \(7,\) does not hold 6"),
    (lambda a: a.reshape(2**62, 4), RuntimeError, r"\[reshape\]"),  # would overflow to 0
    (lambda a: a.reshape(2.0, 3), TypeError, r"\[reshape\] sizes must be integers, got float"),
    (lambda a: a.reshape("23"), TypeError, r"\[reshape\] sizes must be integers, got str"),
    (lambda a: a.reshape(*[1] * 17), RuntimeError, r"\[reshape\] 17 dimensions"),
    (lambda a: a.sum(2), IndexError, r"\[sum\] dim 2 is out of range"),
    (lambda a: a.sum((0, -2)), RuntimeError, r"\[sum\]"),
    (lambda a: a.sum("0"), TypeError, r"\[sum\] dim must be integers, got str"),
    (lambda a: a.sum(0, False, 1), TypeError, r"\[sum\] expected sum\(self.*got \(Array, int"),
    (lambda a: a.sum(*range(99)), TypeError, r"\[sum\] expected sum\(self"),
    (lambda a: a.sum(0, dim=1), TypeError, r"\[sum\] expected sum\(.*, dim=int\)"),
    (lambda a: a.sum(axis=1), TypeError, r"\[sum\] expected sum\(.*, axis=int\)"),
])  # fmt: skip
def test_mt_sum_and_reshape_refuse_what_they_cannot_do(call, kind, message):
    with pytest.raises(kind, match=message):
        call(ops.ones((2, 3), cpu.float32))


def test_results_and_refusals_of_these_hold_no_reference():
    a, shape, dim = ops.ones((2, 3), cpu.float32), (3, 2), (0, 1)
    before = [sys.getrefcount(x) for x in (a, shape, dim)]
    for _ in range(50):
        _ = (
            a.mT,
            a.reshape(shape),
            a.mT.reshape(shape),
            a.reshape(3, -1),
            a.sum(dim, keepdim=True),
        )
        for refused in (
            lambda: a.sum(dim, shape=shape),
            lambda: a.mT.reshape((7, 7)),
            lambda: a.sum(7),
        ):
            with pytest.raises((TypeError, RuntimeError, IndexError)):
                refused()
    del _, refused
    assert [sys.getrefcount(x) for x in (a, shape, dim)] == before


def test_memory_of_dead_arrays_is_used_again_without_a_trace():
    arrays = [ops.full((3,), i, cpu.int64) for i in range(200)]  # more than are kept
    kinds, live = sys.getrefcount(cpu.Array), cpu.memory_stats()["allocated_bytes"]
    for _ in range(5):
        places = {id(x) for x in arrays}
        arrays.clear()
        arrays = [ops.full((2, 2), i, cpu.int64) for i in range(200)]
        assert places & {id(x) for x in arrays}
        assert [x.tolist() for x in arrays] == [[[i, i], [i, i]] for i in range(200)]
    counts = sys.getrefcount(cpu.Array), cpu.memory_stats()["allocated_bytes"]
    assert counts == (kinds, live)


def test_item_and_truth():
    assert ops.from_list([[2.5]]).item() == 2.5
    assert ops.from_list(2**62 + 1).item() == 2**62 + 1
    assert ops.from_list([True]).item() is True
    assert bool(ops.from_list([0.0])) is False
    with pytest.raises(RuntimeError, match=r"\[item\] an array of shape \(2,\) has 2 elements"):
        ops.ones((2,), cpu.float32).item()
    with pytest.raises(RuntimeError, match=r"ambiguous"):
        bool(ops.ones((2,), cpu.float32))
    with pytest.raises(TypeError, match=r"\[len\]"):
        len(ops.ones((), cpu.float32))
    with pytest.raises(TypeError):
        cpu.Array()


def test_repr_shows_values_shape_and_dtype():
    assert repr(ops.from_list([[1, 2]])) == "Array([[1, 2]], shape=(1, 2), dtype=norch.int64)"
    assert repr(ops.zeros((1000,), cpu.bool_)) == "Array(shape=(1000,), dtype=norch.bool)"


# Lists.


def test_from_list_keeps_types_and_integers_exact():
    assert ops.from_list([2**53 + 1, -(2**63)]).tolist() == [2**53 + 1, -(2**63)]
    assert ops.from_list([True, False]).dtype is cpu.bool_
    assert ops.from_list([True, 2]).dtype is cpu.int64
    assert ops.from_list([[1], [2.5]]).dtype is cpu.float32
    assert ops.from_list([1, 2], cpu.float64).tolist() == [1.0, 2.0]
    assert ops.from_list((1, [2][0])).shape == (2,)
    assert ops.from_list(3.5).shape == ()
    assert ops.from_list([]).shape == (0,) and ops.from_list([[], []]).shape == (2, 0)
    assert ops.from_list([np.float32(1.5), np.int64(2)]).tolist() == [1.5, 2.0]


nested = st.integers(0, 3).flatmap(
    lambda depth: st.lists(st.integers(1, 3), min_size=depth, max_size=depth).flatmap(
        lambda shape: st.lists(
            st.integers(-(2**63), 2**63 - 1),
            min_size=math.prod(shape),
            max_size=math.prod(shape),
        ).map(lambda flat: np.array(flat, dtype="int64").reshape(shape).tolist())
    )
)


@given(nested)
def test_lists_survive_the_round_trip(values):
    assert ops.from_list(values).tolist() == values


@pytest.mark.parametrize("ragged", [
    [[1, 2], [3]], [[1], 2], [1, [2]], [[[1]], [[1], [2]]], [[], [1]], [[1, 2], 3.0], [[1], "ab"],
])  # fmt: skip
def test_ragged_lists_are_refused(ragged):
    with pytest.raises((ValueError, TypeError), match=r"\[from_list\]"):
        ops.from_list(ragged)


@pytest.mark.parametrize("bad", ["abc", [None], [1, "2"], {1: 2}, [1j]])
def test_lists_of_anything_else_are_refused(bad):
    with pytest.raises(TypeError, match=r"\[from_list\] expected numbers"):
        ops.from_list(bad)


CHANGING = """
from norch_cpu_ops import float32, ops
class E:  # a number whose reading changes the lists around it
    def __init__(self, change): self.change = change
    def __index__(self): self.change(); return 1
def told(call, *args):
    try: call(*args)
    except ValueError as error: assert "[from_list] the list changed while" in str(error)
    else: raise AssertionError("no error")
shape = [2] * 3
shape[0] = E(shape.clear)
assert ops.zeros(shape, float32).shape == (1, 2, 2)
def flat(when):
    reads, values = [], [1, *range(10**6, 10**6 + 50)]
    values[1] = E(lambda: (reads.append(1), len(reads) >= when and values.clear()))
    return values
told(ops.from_list, flat(1))
told(ops.from_list, flat(2))
def nested(now):
    values = [[1, 2], [3, 4]]
    values[1][0] = E(lambda: values.__setitem__(0, now))
    return values
for now in (5, [[1], [2]], ops.zeros((3,), float32), [1], "ab"):
    told(ops.from_list, nested(now))
held = [1, 2]
held[0] = E(lambda: held.__setitem__(0, [7]))
told(ops.from_list, held)
"""


def test_lists_that_change_while_they_are_read():
    """In a process of its own: once, memory was read that the lists had given back."""
    ran = subprocess.run([sys.executable, "-c", CHANGING], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_an_integer_beyond_64_bits_is_refused():
    with pytest.raises(RuntimeError, match="64 bits"):
        ops.from_list([2**63])


# Buffers.


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float16", "float32",
                                   "float64"])  # fmt: skip
def test_buffers_go_both_ways_without_a_copy(layouts, dtype):
    x = (np.arange(24).reshape(2, 3, 4) % 5).astype(dtype)
    for y in layouts(x):
        a = ops.share_buffer(y)
        back = np.asarray(a)
        np.testing.assert_array_equal(back, x, strict=True)
        assert np.shares_memory(back, y) and back.strides == y.strides
        b = ops.from_buffer(y)
        assert b.is_contiguous and not np.shares_memory(np.asarray(b), y)
        np.testing.assert_array_equal(np.asarray(b), x, strict=True)


def test_other_buffers():
    assert ops.share_buffer(array.array("d", [1.5, 2.5])).tolist() == [1.5, 2.5]
    assert ops.share_buffer(bytearray(b"\x07")).tolist() == [7]
    assert ops.share_buffer(memoryview(b"abc")[1:]).tolist() == [98, 99]
    assert ops.share_buffer(np.zeros((0, 3), "float32")).shape == (0, 3)
    assert memoryview(ops.ones((2,), cpu.float32)).format == "f"


@pytest.mark.parametrize(("source", "kind"), [
    ([1, 2], TypeError), (np.zeros(2, "complex64"), TypeError), (np.zeros(2, ">f4"), TypeError),
    (np.zeros(2, "uint16"), TypeError), (np.zeros((1,) * 17), RuntimeError),
    (np.zeros(2, [("a", "i4"), ("b", "f4")]), TypeError),
    (np.zeros(3, [("a", "u1"), ("b", "<i4")])["b"], ValueError),
])  # fmt: skip
def test_buffers_of_other_kinds_are_refused(source, kind):
    with pytest.raises(kind, match=r"\[share_buffer\]"):
        ops.share_buffer(source)


class Owner(np.ndarray):
    """An array that can be watched."""


def test_a_shared_buffer_keeps_its_owner_alive_and_lets_go():
    x = np.arange(6.0).view(Owner)
    watch = weakref.ref(x)
    a = ops.share_buffer(x)
    view = a.view(((2,), (1,), 1))
    del x, a
    gc.collect()
    assert watch() is not None and view.tolist() == [1.0, 2.0]
    del view
    gc.collect()
    assert watch() is None


def test_an_exported_array_outlives_its_name():
    x = np.asarray(ops.full((1000,), 3, cpu.int64))
    gc.collect()
    ops.zeros((1000,), cpu.int64)  # would take the memory if it were free
    assert x.sum() == 3000


def test_bfloat16_and_read_only_exports_are_refused():
    with pytest.raises(TypeError, match="bfloat16 has no buffer format"):
        memoryview(ops.zeros((2,), cpu.bfloat16))
    assert memoryview(ops.share_buffer(b"ab")).readonly


# Creation.


def test_creation():
    assert ops.empty((2, 3), cpu.int64).shape == (2, 3)
    assert ops.full((2,), 2.9, cpu.int32).tolist() == [2, 2]
    assert ops.zeros(3, cpu.bool_).tolist() == [False] * 3
    assert ops.ones([1, 2], cpu.float16).tolist() == [[1.0, 1.0]]
    assert ops.full((), True, cpu.bool_).item() is True
    assert ops.to_cpu(ops.ones((1,), cpu.uint8)).tolist() == [1]


@pytest.mark.parametrize(("start", "end", "step"), [
    (0, 5, 1), (5, 0, -2), (0, 1, 0.1), (1.0, 1.0, 1), (-3, 3, 2), (0, -1, -0.25), (2, 2, 1),
])  # fmt: skip
def test_arange(start, end, step):
    want = np.arange(start, end, step)
    np.testing.assert_allclose(np.asarray(ops.arange(start, end, step, cpu.float64)), want,
                               rtol=1e-15)  # fmt: skip
    if want.dtype == np.int64:
        np.testing.assert_array_equal(np.asarray(ops.arange(start, end, step, cpu.int64)), want)


@pytest.mark.parametrize("args", [(0, 5, 0), (0, 5, -1), (0, math.inf, 1), (0.0, 1.0, math.nan)])
def test_an_impossible_arange_is_refused(args):
    with pytest.raises(RuntimeError, match=r"\[arange\]"):
        ops.arange(*args, cpu.float32)


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda: ops.zeros((-1,), cpu.float32), RuntimeError, r"negative size -1 in shape \(-1,\)"),
    (lambda: ops.zeros((2**40, 2**40), cpu.float32), RuntimeError, r"more than 2\^63"),
    (lambda: ops.zeros((2**62,), cpu.float32), RuntimeError, r"more than 2\^63 bytes"),
    (lambda: ops.zeros((0, 2**40, 2**40), cpu.float32), RuntimeError, r"more than 2\^63"),
    (lambda: ops.zeros((2**70,), cpu.float32), RuntimeError, r"64 bits"),
    (lambda: ops.zeros((1,) * 17, cpu.float32), RuntimeError, r"17 dimensions.*at most 16"),
    (lambda: ops.zeros((2**46,), cpu.uint8), MemoryError, r"memory: asked for 70368744177664"),
    (lambda: ops.zeros((2**61,), cpu.uint8), MemoryError, r"\[allocate\] out of memory: asked for"),
    (lambda: ops.zeros((2.0,), cpu.float32), TypeError, r"integers, got float"),
    (lambda: ops.zeros((2,), "float32"), TypeError, r"\[zeros\] expected zeros.*got .*str\)"),
    (lambda: ops.full((2,), 300, cpu.uint8), RuntimeError, r"\[full\] the number 300.*uint8"),
    (lambda: ops.full((2,), math.nan, cpu.int64), RuntimeError, r"\[full\] the number nan"),
    (lambda: ops.from_list([2.0**31], cpu.int32), RuntimeError, r"does not fit int32"),
    (lambda: ops.zeros(np.array(3.0), cpu.uint8), TypeError, r"integers, got numpy.ndarray"),
])  # fmt: skip
def test_impossible_sizes_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_a_number_that_does_not_fit_leaves_the_destination_alone():
    a = ops.ones((2,), cpu.uint8)
    with pytest.raises(RuntimeError, match=r"\[fill_\] the number 256 does not fit uint8"):
        ops.fill_(a, 256)
    assert a.tolist() == [1, 1] and a.version == 0


def test_no_door_answers_with_a_list_of_signatures():
    for name in cpu.OPERATIONS:
        words = rf"^\[{name}\] expected {name}\(.*got \(object, no=int\)"
        with pytest.raises(TypeError, match=words):
            getattr(ops, name)(object(), no=1)


def test_a_view_of_nothing_may_start_anywhere():
    empty = ops.zeros((0, 2), cpu.float32)
    assert empty.view(((0, 1), (2, 1), 5)).offset == 0


@pytest.mark.parametrize("call", [
    lambda: ops.clone([1.0]), lambda: ops.contiguous([1.0]), lambda: ops.cast([1.0], cpu.int64),
    lambda: ops.copy_([1.0], 2), lambda: ops.fill_([1.0], 2),
])  # fmt: skip
def test_a_list_is_no_array(call):
    with pytest.raises(TypeError, match=r"\[\w+\] expected an Array, got list"):
        call()


# Joining.


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat(check, dim):
    parts = [np.arange(12).reshape(3, 4).astype(t) for t in ("float32", "int64", "uint8")]
    check(lambda *a: ops.cat(a, dim), np.concatenate(parts, dim), *parts, dtype="float32")


def test_cat_skips_an_empty_vector_and_copies_a_single_part():
    a = ops.ones((2, 3), cpu.float32)
    assert ops.cat([ops.zeros((0,), cpu.float32), a], 1).tolist() == a.tolist()
    assert not ops.cat([a], 0).shares_storage(a)
    assert ops.cat([a, ops.zeros((0, 3), cpu.float32)], 0).shape == (2, 3)


@pytest.mark.parametrize("dim", [0, 1, -1, -3])
def test_stack(check, dim):
    parts = [np.arange(12).reshape(3, 4).astype(t) for t in ("float32", "int64", "uint8")]
    check(lambda *a: ops.stack(a, dim), np.stack(parts, dim), *parts, dtype="float32")


@pytest.mark.parametrize("shape", [(), (0, 2), (7,), (200, 100)])  # the last in more than one run
def test_joins_of_few_and_of_many_elements(check, shape):
    first = np.arange(math.prod(shape), dtype="float32").reshape(shape)
    parts = [np.asarray(first + k) for k in range(3)]
    check(lambda *a: ops.stack(a, 0), np.stack(parts), *parts)
    if shape:
        check(lambda *a: ops.cat(list(a), -1), np.concatenate(parts, -1), *parts)


@pytest.mark.parametrize(("parts", "dim", "kind", "message"), [
    ([], 0, RuntimeError, "at least one array"), ([(2, 3)], 3, IndexError, "dim 3 is out of range"),
    ([(2, 3), (2, 3), (3, 2)], 0, RuntimeError, "number 0 has (2, 3), number 2 has (3, 2)"),
    ([(1,) * 16], 0, RuntimeError, "at most 16 dimensions"),
])  # fmt: skip
def test_impossible_stacks_are_refused(parts, dim, kind, message):
    with pytest.raises(kind) as caught:
        ops.stack([ops.ones(shape, cpu.float32) for shape in parts], dim)
    assert str(caught.value).startswith("[stack]") and message in str(caught.value)


@pytest.mark.parametrize("join", [ops.cat, ops.stack])
def test_only_arrays_are_joined(join):
    for wrong in ([ops.ones((2,), cpu.float32), [1.0]], 3, ops.ones((2,), cpu.float32)):
        with pytest.raises(TypeError, match=rf"\[{join.__name__}\] expected"):
            join(wrong, 0)


@pytest.mark.parametrize(("parts", "dim", "kind"), [
    ([], 0, RuntimeError), ([(2, 3), (2, 4)], 0, RuntimeError), ([(2, 3), (2,)], 0, RuntimeError),
    ([(2, 3)], 2, IndexError), ([()], 0, RuntimeError),
])  # fmt: skip
def test_impossible_joins_are_refused(parts, dim, kind):
    with pytest.raises(kind, match=r"\[cat\]"):
        ops.cat([ops.ones(shape, cpu.float32) for shape in parts], dim)


def test_operations_are_all_there_and_documented():
    assert len(set(cpu.OPERATIONS)) == len(cpu.OPERATIONS)
    for name in cpu.OPERATIONS:
        assert callable(getattr(ops, name)) and getattr(ops, name).__doc__


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(8, 8), (40, 33), (33, 130), (3, 70, 41), (41, 3, 70), (9, 200)])
def test_operands_that_run_across_the_rows(shape, dtype):
    x = (np.arange(math.prod(shape)) % 251).reshape(shape).astype(dtype)
    for axes in itertools.permutations(range(x.ndim)):
        turned = np.array(x.transpose(np.argsort(axes)), order="C").transpose(axes)
        np.testing.assert_array_equal(np.asarray(ops.clone(ops.share_buffer(turned))), x)
        target = np.zeros_like(turned)
        ops.copy_(ops.share_buffer(target), ops.share_buffer(x))
        np.testing.assert_array_equal(target, x)
        if dtype != "float16":
            for a, b in ((x, turned), (turned, x), (turned, turned), (turned, x[..., ::-1])):
                got = np.asarray(ops.maximum(ops.share_buffer(a), ops.share_buffer(b)))
                np.testing.assert_array_equal(got, np.maximum(a, b))


def test_writes_through_an_unversioned_alias_are_not_counted():
    a = ops.arange(0, 6, 1, cpu.int64)
    alias = a.unversioned()
    ops.fill_(alias, 7)
    assert (a.tolist(), a.version, alias.version) == ([7] * 6, 0, 1)
    assert a.shares_storage(alias) and alias.unversioned().shares_storage(a)
    assert not a.owns_storage and not alias.owns_storage
    del a
    assert alias.tolist() == [7] * 6


def test_a_storage_as_a_line_of_any_dtype():
    a = ops.arange(0, 6, 1, cpu.int32).view(strides.Layout((2, 2), (3, -1), 1))
    assert a.storage_as(cpu.int32).tolist() == [0, 1, 2, 3, 4, 5]
    raw = a.storage_as(cpu.uint8)
    assert (raw.shape, raw.offset, raw.strides) == ((24,), 0, (1,)) and raw.shares_storage(a)
    raw.storage_as(cpu.int64).view(strides.Layout((), (), 0)).tolist()
    memoryview(raw)[0] = 9
    assert a.tolist() == [[1, 9], [4, 3]]
    assert ops.empty((0, 3), cpu.bfloat16).storage_as(cpu.bfloat16).shape == (0,)
    with pytest.raises(TypeError, match=r"\[storage_as\] expected a dtype, got str"):
        a.storage_as("int32")
    odd = ops.share_buffer(memoryview(bytearray(9))[1:])
    with pytest.raises(ValueError, match=r"\[storage_as\] the storage is not aligned"):
        odd.storage_as(cpu.int64)


def test_a_copy_between_overlapping_aliases_reads_before_it_writes():
    a = ops.arange(0, 6, 1, cpu.int64)
    part = a.unversioned()
    ops.copy_(a.view(strides.Layout((5,), (1,), 1)), part.view(strides.Layout((5,), (1,), 0)))
    assert a.tolist() == [0, 0, 1, 2, 3, 4]
