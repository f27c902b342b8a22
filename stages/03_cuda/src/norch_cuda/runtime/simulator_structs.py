"""Mirrors of the structs in csrc/simulator that Python passes to a launch, and gets back.

simulator.h and launch.cpp declare the originals, in the same order. Used by simulator_backend.py.
"""

from __future__ import annotations

import ctypes

MESSAGE_BYTES = 1024


class Kernel(ctypes.Structure):
    """One kernel of a library's table."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("signature", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("max_threads", ctypes.c_int64),
    )


class Symbol(ctypes.Structure):
    """A `__constant__` or `__device__` variable of a library's table."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
    )


class Library(ctypes.Structure):
    """What a built library says of itself: its `norch_library`."""

    _fields_ = (
        ("kernels", ctypes.POINTER(Kernel)),
        ("count", ctypes.c_int),
        ("shared_memory", ctypes.c_void_p),
        ("symbols", ctypes.POINTER(Symbol)),
        ("num_symbols", ctypes.c_int),
    )


class Array(ctypes.Structure):
    """An argument's allocation, and the part of it that the argument is."""

    _fields_ = (
        ("begin", ctypes.c_size_t),
        ("end", ctypes.c_size_t),
        ("used_begin", ctypes.c_size_t),
        ("used_end", ctypes.c_size_t),
        ("argument", ctypes.c_int),
        ("place", ctypes.c_int),
        ("guard", ctypes.c_uint32),
    )


class PlacedVariable(ctypes.Structure):
    """A variable at its place: `Variable` of csrc/simulator/checker.h."""

    _fields_ = (
        ("offset", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("role", ctypes.c_int),
    )


class LaunchOptions(ctypes.Structure):
    """How a kernel is launched."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("dynamic_shared", ctypes.c_uint64),
        ("max_dynamic_shared", ctypes.c_uint64),
        ("step", ctypes.c_int),
        ("checked", ctypes.c_int),
        ("workers", ctypes.c_int),
        ("num_arrays", ctypes.c_int),
        ("arrays", ctypes.c_void_p),
        ("guard_bytes", ctypes.c_uint64),
        ("seconds", ctypes.c_double),
        ("recorder", ctypes.c_void_p),
        ("shared", ctypes.c_void_p),
        ("num_shared", ctypes.c_uint64),
        ("variables", ctypes.c_void_p),
        ("num_variables", ctypes.c_uint64),
        ("earlier", ctypes.c_void_p),
        ("num_earlier", ctypes.c_uint64),
    )


class LaunchReport(ctypes.Structure):
    """What came of it: an error's text and places, or what was counted."""

    _fields_ = (
        ("message", ctypes.c_char * MESSAGE_BYTES),
        ("sites", ctypes.c_uint64 * 2),
        ("calls", ctypes.c_uint64 * 6),
        ("counters", ctypes.c_int64 * 5),
    )
