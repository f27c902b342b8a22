"""Determinism, which norch always has: the same numbers in give the same numbers out.

No kernel of stage 2 or 3 adds in an order that threads decide, so there is nothing to switch.
"""


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for deterministic results; they are so whatever is asked for.

    Raises TypeError for what is no bool. Source: `torch.use_deterministic_algorithms`.

    >>> use_deterministic_algorithms(True)
    """
    if not isinstance(mode, bool):
        raise TypeError(
            "[use_deterministic_algorithms] expected True or False, "
            f"got {type(mode).__name__} {mode!r}"
        )


def are_deterministic_algorithms_enabled() -> bool:
    """True, always.

    >>> are_deterministic_algorithms_enabled()
    True
    """
    return True
