"""Determinism: the same numbers in give the same numbers out, in every run.

The CPU's kernels always keep that promise. On CUDA devices a few sums cannot (stage 3 says which):
they raise or warn when it is asked for.
"""

from __future__ import annotations


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Let operations whose result may differ from run to run raise RuntimeError, or only warn.

    On the CPU there are none; on CUDA devices those that add floats at places named by an index.
    Raises TypeError for what is no bool. Source: `torch.use_deterministic_algorithms`.

    >>> use_deterministic_algorithms(True)
    >>> are_deterministic_algorithms_enabled()
    True
    >>> use_deterministic_algorithms(False)
    """
    import norch_cuda

    if not isinstance(mode, bool):
        raise TypeError(
            "[use_deterministic_algorithms] expected True or False, "
            f"got {type(mode).__name__} {mode!r}"
        )
    norch_cuda.require_determinism(mode, warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was asked for.

    >>> are_deterministic_algorithms_enabled()
    False
    """
    import norch_cuda

    return bool(norch_cuda.is_determinism_required())
