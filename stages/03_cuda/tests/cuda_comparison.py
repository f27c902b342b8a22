"""The same arrays on the CPU and on a device, with awkward layouts, and how to compare results."""

import numpy as np

import norch_cpu_ops as cpu
from norch_strides import Layout

HALVES = (cpu.float16, cpu.bfloat16)


def tangled(values):
    """The values as a buffer and a layout: dimensions reversed, every second element, an offset.

    The elements between them are garbage that would show in any result. A true bool may be any
    byte but 0.
    """
    values = np.asarray(values)
    if values.dtype == bool:
        bytes_of_true = np.resize(np.array([2, 255, 1], np.uint8), values.shape)
        flat, layout = tangled(np.where(values, bytes_of_true, np.uint8(0)))
        return flat.view(bool), layout
    base = np.full(tuple(2 * s + 1 for s in reversed(values.shape)), 77, dtype=values.dtype)
    window = base[(slice(1, None, 2),) * values.ndim].T if values.ndim else base
    window[...] = values
    offset = (window.__array_interface__["data"][0] - base.ctypes.data) // values.itemsize
    strides = tuple(s // values.itemsize for s in window.strides)
    return base.reshape(-1), Layout(values.shape, strides, offset)


def place(ops, values, dtype=None):
    """An array with these values on the device of `ops`, in a layout that is not contiguous."""
    flat, layout = tangled(values)
    array = ops.from_cpu(cpu.ops.share_buffer(flat))
    return (ops.cast(array, dtype) if dtype else array).view(layout)


def host(array):
    """Array -> NumPy, whatever its device."""
    on_cpu = array.ops.to_cpu(array)
    return np.array(on_cpu.tolist(), dtype=np.float64 if array.dtype in HALVES else None)


def assert_same(expected, actual, tolerance):
    """Same shape, dtype and values; tuples element by element. NaN equals NaN."""
    if isinstance(expected, tuple):
        assert len(expected) == len(actual)
        for e, a in zip(expected, actual, strict=True):
            assert_same(e, a, tolerance)
        return
    assert actual.dtype is expected.dtype, f"{actual.dtype} instead of {expected.dtype}"
    assert actual.shape == expected.shape
    if expected.dtype in HALVES:
        tolerance = max(tolerance, 1e-2)
    np.testing.assert_allclose(host(actual), host(expected), rtol=tolerance, atol=tolerance)
