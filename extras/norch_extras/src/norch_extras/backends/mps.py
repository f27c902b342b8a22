"""Apple's GPU, for which norch has no kernels."""

from __future__ import annotations


def is_available() -> bool:
    """False.

    >>> is_available()
    False
    """
    return False


def is_built() -> bool:
    """False.

    >>> is_built()
    False
    """
    return False
