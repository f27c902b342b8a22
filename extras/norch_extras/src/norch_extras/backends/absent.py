"""cuDNN, oneDNN and Apple's GPU, none of which norch has; the switches of cuDNN that scripts set.

`import norch.backends.cudnn as cudnn; cudnn.benchmark = True` stands in many scripts: it can be
set, and nothing reads it. The switch that norch obeys is `use_deterministic_algorithms`.
"""

from __future__ import annotations

enabled: bool = True
benchmark: bool = False
deterministic: bool = False
allow_tf32: bool = True


def is_available() -> bool:
    """False: norch's kernels are its own; without AVX-512, OpenBLAS multiplies matrices.

    >>> is_available()
    False
    """
    return False


def is_built() -> bool:
    """False: no kernel of norch is made for Apple's GPU.

    >>> is_built()
    False
    """
    return False


def version() -> None:
    """None: there is no cuDNN to have a version.

    >>> version()
    """
    return None
