"""CudaArray: where its elements lie, views, versions, copies to and from the host."""

import subprocess
import sys

import numpy as np
import pytest

import norch_cpu_ops as cpu
import norch_cuda
import norch_strides
from norch_strides import Layout


def test_properties(ops):
    a = ops.from_list([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = a.view(norch_strides.transpose(a.layout, 0, 1))
    assert (b.shape, b.strides, b.offset, b.ndim, b.numel) == ((3, 2), (1, 3), 0, 2, 6)
    assert (b.dtype, b.itemsize, b.nbytes, len(b)) == (cpu.float32, 4, 24, 3)
    assert (a.is_contiguous, b.is_contiguous) == (True, False)
    assert b.device == ops.device
    assert b.ops is ops
    assert b.tolist() == [[1, 4], [2, 5], [3, 6]]


def test_views_share_storage_and_version(ops):
    a = ops.zeros((3, 4), cpu.float32)
    row = a.view(norch_strides.select(a.layout, 0, 1))
    ops.fill_(row, 5)
    assert a.tolist() == [[0] * 4, [5] * 4, [0] * 4]
    assert (a.version, row.version) == (1, 1)
    assert a.shares_storage(row)
    assert not a.shares_storage(ops.clone(a))
    assert row.data_ptr == a.data_ptr + 16


def test_views_by_the_rules_of_stage_1(ops):
    a = ops.from_list([[1, 2, 3], [4, 5, 6]])
    b = cpu.ops.from_list(a.tolist())
    for views in (
        lambda x: [x.view_by(norch_strides.transpose, 0, 1), x.select(1, -1), x.select(0, 1)],
        lambda x: [x.view_by(norch_strides.basic_index, (slice(1, None), None))],
        lambda x: [*x.unbind(1), *x.views_by(norch_strides.split, 2, 1)],
    ):
        assert [v.layout for v in views(a)] == [v.layout for v in views(b)]
        assert [v.tolist() for v in views(a)] == [v.tolist() for v in views(b)]
    turned = a.view_by(norch_strides.transpose, 0, 1)
    assert turned.view_by(norch_strides.reshape, (6,)) is None
    with pytest.raises(IndexError, match=r"\[select\] index 2 is out of bounds"):
        a.select(0, 2)


def test_writes_through_an_unversioned_alias_are_not_counted(ops):
    a = ops.zeros((2, 3), cpu.float32)
    alias = a.unversioned()
    ops.fill_(alias, 7)
    assert (a.tolist(), a.version, alias.version) == ([[7] * 3] * 2, 0, 1)
    assert a.shares_storage(alias)


def test_a_storage_as_a_line_of_any_dtype(ops):
    a = ops.from_list([1.0, 2.0, 3.0]).view(Layout((2,), (-1,), 1))
    assert a.storage_as(cpu.float32).tolist() == [1, 2, 3]
    raw = a.storage_as(cpu.uint8)
    assert (raw.shape, raw.dtype, raw.shares_storage(a)) == ((12,), cpu.uint8, True)
    assert bytes(memoryview(ops.to_cpu(raw))[3:8]) == b"\x3f\0\0\0\x40"


def test_view_outside_the_storage_is_refused(ops):
    a = ops.zeros((3, 4), cpu.float32)
    with pytest.raises(RuntimeError, match=r"\[view\]"):
        a.view(Layout((3, 5), (4, 1), 0))
    with pytest.raises(RuntimeError, match=r"\[view\]"):
        a.view(Layout((4,), (1,), -1))


def test_negative_and_zero_strides(ops):
    a = ops.from_list([1.0, 2.0, 3.0])
    backwards = a.view(norch_strides.flip(a.layout, 0))
    twice = a.view(norch_strides.broadcast_to(a.layout, (2, 3)))
    assert ops.add(backwards, twice).tolist() == [[4, 4, 4], [4, 4, 4]]


def test_operators_are_the_functions_written_shorter(ops):
    a, b = ops.from_list([[1.0, 2.0], [3.0, 4.0]]), ops.from_list([5.0, 8.0])
    assert [(a + b).tolist(), (a + 1).tolist(), (1 + b).tolist()] == [
        [[6, 10], [8, 12]], [[2, 3], [4, 5]], [6, 9]
    ]  # fmt: skip
    assert [(b - 1).tolist(), (1 - b).tolist(), (-b).tolist()] == [[4, 7], [-4, -7], [-5, -8]]
    assert [(b * 2).tolist(), (2 * b).tolist()] == [[10, 16], [10, 16]]
    assert [(b / 2).tolist(), (40 / b).tolist(), (a @ b).tolist()] == [[2.5, 4], [8, 5], [21, 47]]


def test_mt_sum_and_reshape_mean_what_tensors_mean_by_them(ops):
    a = ops.from_list([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert a.mT.tolist() == [[1, 4], [2, 5], [3, 6]] and a.mT.shares_storage(a)
    assert a.reshape(3, -1).tolist() == a.reshape((3, 2)).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert a.reshape(-1).shares_storage(a) and not a.mT.reshape(-1).shares_storage(a)
    assert a.mT.reshape([6]).tolist() == [1, 4, 2, 5, 3, 6]
    assert (a.sum().item(), a.mT.sum(0).tolist()) == (21, [6, 15])
    assert a.sum(dim=(-1,), keepdim=True).tolist() == [[6], [15]]


def test_mt_sum_and_reshape_refuse_what_they_cannot_do(ops):
    a = ops.from_list([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with pytest.raises(RuntimeError, match=r"\[mT\] expected at least 2 dimensions, got 1"):
        _ = a.reshape(-1).mT
    with pytest.raises(RuntimeError, match=r"\[reshape\] shape \(4, -1\) does not hold 6"):
        a.reshape(4, -1)
    with pytest.raises(TypeError, match=r"\[reshape\]"):
        a.reshape(2.0, 3)
    with pytest.raises(IndexError, match=r"\[sum\]"):
        a.sum(2)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int64", "int32", "uint8", "bool", "float16"]
)
def test_round_trip(ops, dtype):
    values = np.array([[0, 1, 2], [3, 4, 250]]).astype(dtype)
    on_cpu = cpu.ops.from_buffer(values)
    there = ops.from_cpu(on_cpu)
    back = ops.to_cpu(there)
    assert isinstance(back, cpu.Array)
    assert back.dtype is there.dtype is on_cpu.dtype
    assert back.tolist() == on_cpu.tolist()


def test_from_cpu_copies(ops):
    on_cpu = cpu.ops.from_list([1.0, 2.0])
    there = ops.from_cpu(on_cpu)
    cpu.ops.fill_(on_cpu, 9)
    assert there.tolist() == [1, 2]


def test_large_integers_stay_exact(ops):
    values = [2**62 + 1, -(2**53) - 1]
    assert ops.from_list(values).tolist() == values
    assert ops.add(ops.from_list(values), 1).tolist() == [v + 1 for v in values]
    assert ops.full((1,), 2**62 + 1, cpu.int64).item() == 2**62 + 1


def test_contiguous_is_the_same_object_only_if_it_is(ops):
    a = ops.from_list([[1.0, 2.0], [3.0, 4.0]])
    assert ops.contiguous(a) is a
    turned = a.view(norch_strides.transpose(a.layout, 0, 1))
    assert ops.contiguous(turned).strides == (2, 1)


def test_empty_arrays(ops):
    a = ops.zeros((0, 3), cpu.float32)
    assert ops.add(a, 1.0).tolist() == []
    assert ops.sum(a, 0).tolist() == [0, 0, 0]
    assert ops.to_cpu(a).shape == (0, 3)


def test_copy_between_overlapping_views(ops):
    a = ops.arange(0, 6, 1, cpu.int64)
    head, tail = (a.view(Layout((5,), (1,), offset)) for offset in (0, 1))
    ops.copy_(tail, head)
    assert a.tolist() == [0, 0, 1, 2, 3, 4]


def test_repr(ops):
    text = repr(ops.from_list([1.0, 2.0]))
    assert text == f"CudaArray([1.0, 2.0], dtype=norch.float32, device='{ops.device}')"


def test_numpy_is_told_to_ask_for_a_copy(ops):
    with pytest.raises(TypeError, match=r"\[numpy\] the array is on cuda.*ops.to_cpu"):
        np.asarray(ops.from_list([1.0]))


def test_memory_is_freed_without_the_cycle_collector():
    program = """
import gc, os
gc.disable()
import norch_cpu_ops as cpu, norch_cuda
ops = norch_cuda.ops_for("cuda-sim")
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
a = ops.zeros((256, 1024), cpu.float32)
for i in range(120):
    b = ops.mul(ops.add(a, 1.0), 2.0)
    if i == 20:
        before = resident()
assert resident() < before + 8 * 2**20, resident() - before
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_import_needs_neither_numpy_nor_cupy_nor_a_compiler():
    program = (
        "import sys, norch_cuda; norch_cuda.ops_for('cuda-sim')\n"
        "assert not {'numpy', 'cupy'} & set(sys.modules), sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={"PATH": ""})


def test_norch_cuda_exports(ops):
    assert isinstance(ops.zeros((1,), cpu.float32), norch_cuda.CudaArray)
    assert isinstance(ops, norch_cuda.Operations)
