"""oneDNN, which norch does not use."""

from __future__ import annotations


def is_available() -> bool:
    """False: the CPU's kernels are norch's own, with OpenBLAS for matrix products.

    >>> is_available()
    False
    """
    return False
