"""File locks where one process has all files: there is nobody to wait for."""

LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8


def flock(file: object, operation: int) -> None:
    """Lock nothing."""


def lockf(file: object, operation: int, *rest: int) -> None:
    """Lock nothing."""
