"""cuDNN, which norch does not have: its switches can be set, and nothing reads them.

`import norch.backends.cudnn as cudnn; cudnn.benchmark = True` stands in many scripts. The
switch that norch obeys is `use_deterministic_algorithms`.
"""

from __future__ import annotations

enabled: bool = True
benchmark: bool = False
deterministic: bool = False
allow_tf32: bool = True


def is_available() -> bool:
    """False: norch's kernels are its own.

    >>> is_available()
    False
    """
    return False


def version() -> None:
    """None: there is no cuDNN to have a version.

    >>> version()
    """
    return None
