"""Arrays of ones and zeros with the sizes as arguments, for calls that are refused."""

import norch_cpu_ops as cpu
from norch_cpu_ops import ops


def ones(*shape, dtype=cpu.float32):
    """Return ones of this shape."""
    return ops.ones(shape, dtype)


def zeros(*shape, dtype=cpu.float32):
    """Return zeros of this shape."""
    return ops.zeros(shape, dtype)
