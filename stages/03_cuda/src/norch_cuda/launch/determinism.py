"""The wish for the same result in every run, and what refuses it: sums by atomics.

Floats that several threads add to one place are added in the order in which the threads arrive,
and what is rounded away depends on that order. Everything else in this stage adds in a fixed order.
Written through stage 4's `use_deterministic_algorithms`; asked where atomics add floats.
"""

from __future__ import annotations

import warnings

from norch_cpu_ops import DType

_required = False
_warn_only = False


def require_determinism(required: bool, warn_only: bool = False) -> None:
    """Let operations whose result may differ from run to run raise, or only warn."""
    global _required, _warn_only
    _required, _warn_only = required, warn_only


def is_determinism_required() -> bool:
    """Return whether such operations raise or warn."""
    return _required


def check_determinism(op: str, dtype: DType) -> None:
    """Refuse to add numbers of `dtype` by atomics, if the same result is wanted in every run."""
    if not (_required and dtype.is_floating_point):
        return
    text = (
        f"[{op}] sums of {dtype.name} are added in the order in which threads arrive and may round "
        "differently in every run, but deterministic algorithms were asked for; expected whole "
        "numbers or the device 'cpu', or allow it by use_deterministic_algorithms(False)"
    )
    if not _warn_only:
        raise RuntimeError(text)
    warnings.warn(text, UserWarning, stacklevel=3)
