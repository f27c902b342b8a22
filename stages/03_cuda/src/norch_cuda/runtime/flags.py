"""How kernels are compiled for the CPU: fast, with every access announced, or for a recording.

Used by simulator_backend.py for kernel libraries and by programs/ for whole programs.
"""

from __future__ import annotations

ENGINE = ("-O2", "-fvisibility=default")
_FAST = ("-O2",)
# The line of every instruction (a call's stub in the PLT has none), loops kept that never end, and
# stacks that fault when they run out.
_KERNEL: tuple[str, ...] = ("-g1", "-gdwarf-4", "-fno-plt", "-fno-finite-loops")
_KERNEL += ("-fstack-clash-protection", "-fstack-protector-strong")
_KERNEL += ("-fno-delete-null-pointer-checks",)  # a write through nullptr is not left out
# Ordinary CUDA compares threadIdx.x with an int; refusing `exit` in a kernel contradicts stdlib.h.
_KERNEL += ("-Wno-sign-compare", "-Wno-unknown-pragmas", "-Wno-attributes")
# -fsanitize=thread makes the compiler announce every access; csrc/simulator/checker.cpp listens.
_ANNOUNCED = ("-O1", "-fsanitize=thread")
_ANNOUNCED_GCC = ("-Wno-tsan", "--param", "tsan-distinguish-volatile=1")
# clang leaves out a read just before a write to the same place, unless asked.
_ANNOUNCED_CLANG: tuple[str, ...] = ("-mllvm", "-tsan-instrument-read-before-write")
_ANNOUNCED_CLANG += ("-mllvm", "-tsan-distinguish-volatile")
# What only the compiler knows: the bounds of an array with a name, what a type must be aligned to.
_BOUNDS = ("-fsanitize=bounds,object-size,alignment",)
# A recorded kernel announces its basic blocks too. A struct is copied as one, and the code stands
# in the order of the text: csrc/simulator/recorder.h says why.
_RECORDED = ("-g", "-DNORCH_RECORDED", "-fsanitize-coverage=trace-pc")
_RECORDED_GCC = ("-fno-tree-sra", "-fno-reorder-blocks")


def kernel_flags(checked: bool, clang: bool, volatile: bool, bounds: bool) -> tuple[str, ...]:
    """Flags of a kernel that only runs, or whose accesses are checked (its arrays' bounds too).

    Volatile accesses are announced in any case: a thread that waits there must let others go on.
    """
    announced = (*_ANNOUNCED, *(_ANNOUNCED_CLANG if clang else _ANNOUNCED_GCC))
    if checked:
        watched = _BOUNDS if bounds else ()
        return (*_KERNEL, *announced, "-DNORCH_CHECKED", "-fdata-sections", *watched)
    return (*_KERNEL, *(announced if volatile else _FAST))


def recorded_flags(clang: bool) -> tuple[str, ...]:
    """Flags of a kernel that announces its basic blocks too."""
    announced = (*_ANNOUNCED, *(_ANNOUNCED_CLANG if clang else _ANNOUNCED_GCC))
    return (*_KERNEL, *announced, *_RECORDED, *(() if clang else _RECORDED_GCC))
