"""DLPack: memory given to and taken from other libraries without a copy. NumPy is the other one."""

import ctypes
import gc

import numpy as np
import pytest

import norch_cpu_ops as cpu

ops = cpu.ops
TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("name", TYPES)
def test_both_ways_for_every_dtype(name):
    given = np.arange(6).reshape(2, 3).astype(name)
    array = cpu.from_dlpack(given)
    assert (array.dtype.name, array.tolist()) == (name, given.tolist())
    back = np.from_dlpack(array)
    assert back.dtype == given.dtype and back.tolist() == given.tolist()


def test_the_memory_is_shared_both_ways():
    given = np.zeros((2, 2), np.float32)
    array = cpu.from_dlpack(given)
    given[0, 1] = 5
    assert array.tolist() == [[0, 5], [0, 0]]
    ops.fill_(array, 7.0)
    assert given.tolist() == [[7, 7], [7, 7]]
    assert np.from_dlpack(array).ctypes.data == array.data_ptr


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[::2, 1:],
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a[1, 2],
        lambda a: a[:0],
        lambda a: np.broadcast_to(a[:, :1], (3, 4)).copy(),
    ],
)
def test_views_keep_their_strides(view):
    given = view(np.arange(12.0).reshape(3, 4))
    if given.ndim == 0:
        given = np.asarray(given)
    assert cpu.from_dlpack(given).tolist() == given.tolist()


def test_our_views_are_exported_as_they_are():
    array = ops.from_list([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], None)
    part = array.view(((3,), (-1,), 5))
    assert np.from_dlpack(part).tolist() == [6.0, 5.0, 4.0]


def test_memory_lives_as_long_as_somebody_holds_it():
    array = cpu.from_dlpack(np.full(1000, 3.0))
    gc.collect()
    assert set(array.tolist()) == {3.0}
    seen = np.from_dlpack(ops.full((1000,), 4.0, cpu.float64))
    gc.collect()
    assert set(seen.tolist()) == {4.0}
    before = cpu.memory_stats()["allocated_bytes"]
    capsule = ops.full((1 << 20,), 4.0, cpu.float64).__dlpack__()
    assert cpu.memory_stats()["allocated_bytes"] > before
    del capsule  # nobody took it over
    assert cpu.memory_stats()["allocated_bytes"] == before


def test_a_copy_on_request():
    array = ops.zeros((2,), cpu.float32)
    ops.fill_(cpu.from_dlpack(_With(array.__dlpack__(copy=True))), 9.0)
    assert array.tolist() == [0.0, 0.0]


class _With:
    """An exporter that hands out one capsule."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def test_bfloat16_goes_out_and_comes_back():
    array = ops.cast(ops.from_list([1.5, -2.0], None), cpu.bfloat16)
    back = cpu.from_dlpack(_With(array.__dlpack__()))
    assert (back.dtype, back.tolist()) == (cpu.bfloat16, [1.5, -2.0])


def test_the_device_is_the_cpu():
    assert ops.zeros((1,), cpu.float32).__dlpack_device__() == (1, 0)


A = ops.zeros((2,), cpu.float32)
READ_ONLY = ops.share_buffer(bytes(8))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cpu.from_dlpack([1, 2]), TypeError, r"expected an object with __dlpack__, got"),
        (lambda: cpu.from_dlpack(np.zeros(2, complex)), TypeError, "have no dtype here"),
        (lambda: cpu.from_dlpack(np.zeros(2, np.uint16)), TypeError, "code 1 and 16 bits"),
        (
            lambda: cpu.from_dlpack(np.zeros(9, np.uint8)[1:].view(np.float32)),
            ValueError,
            r"\[from_dlpack\] the elements are not aligned to their size: copy the memory",
        ),
        (lambda: cpu.from_dlpack(_With(None, (2, 0))), ValueError, r"on device \(2, 0\)"),
        (lambda: cpu.from_dlpack(_With(7)), ValueError, "PyCapsule"),
        (lambda: A.__dlpack__(stream=3), ValueError, "stream must be None"),
        (lambda: A.__dlpack__(1), TypeError, "by name only"),
        (lambda: A.__dlpack__(dl_device=(2, 0)), BufferError, "lies on the CPU"),
        (lambda: READ_ONLY.__dlpack__(), BufferError, "read-only"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_capsule_is_taken_over_once():
    capsule = A.__dlpack__()
    cpu.from_dlpack(_With(capsule))
    with pytest.raises(ValueError, match="PyCapsule"):
        cpu.from_dlpack(_With(capsule))


class _Tensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]  # fmt: skip


def hostile(shape, strides, data=True, ndim=None):
    """A capsule of float32 whose layout somebody made up."""
    memory = ctypes.create_string_buffer(64)
    sizes, steps = ((ctypes.c_int64 * 4)(*x) for x in (shape, strides))
    tensor = _Tensor(ctypes.addressof(memory) if data else None, (1, 0),
                     len(shape) if ndim is None else ndim, 2, 32, 1, sizes, steps)  # fmt: skip
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    exporter = _With(new(ctypes.addressof(tensor), b"dltensor", None))
    exporter.kept = (memory, sizes, steps, tensor)
    return exporter


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (((2, -1), (1, 1)), "negative size -1"),
        (((2**40, 2**40), (1, 1)), "more than 2\\^63"),
        (((1, 2), (2**62, 1)), "reach further than 2\\^63 bytes"),
        (((3,), (2**62,)), "reach further than 2\\^63 bytes"),
        (((3, 3), (2**61, -(2**61))), "reach further than 2\\^63 bytes"),
        (((2,), (1,), False), "no memory"),
        (((), (), True, -3), "-3 dimensions"),
        (((), (), True, 17), "at most 16"),
    ],
)
def test_a_layout_from_outside_is_not_believed(layout, message):
    with pytest.raises((RuntimeError, ValueError), match=r"\[from_dlpack\] .*" + message):
        cpu.from_dlpack(hostile(*layout))
