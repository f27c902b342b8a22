"""What can be asked before there is a group: which backends there are, and which for a device.

`process_group` and `subgroup` check a backend's name here; which transport carries what is decided
in `process_group`.
"""

from __future__ import annotations

from typing import Any

BACKENDS = ("mpi", "gloo", "nccl")
_DEFAULTS = {"cpu": "gloo", "cuda": "nccl", "cuda-sim": "gloo"}


class Backend(str):
    """The name of a backend, in small letters: `Backend("NCCL") == Backend.NCCL == "nccl"`."""

    __slots__ = ()
    MPI = "mpi"
    GLOO = "gloo"
    NCCL = "nccl"
    UNDEFINED = "undefined"

    def __new__(cls, name: str) -> Backend:
        """Check the name."""
        return str.__new__(cls, check_backend("Backend", name))


def check_backend(op: str, backend: str | None) -> str | None:
    """Return the transport's backend in small letters; "cpu:gloo,cuda:nccl" has one a device."""
    if backend is None:
        return None
    backend = str(backend).lower()
    if not {part.split(":")[-1] for part in backend.split(",")} <= set(BACKENDS):
        names = ", ".join(map(repr, BACKENDS))
        raise ValueError(f"[{op}] backend {backend!r} is unknown: use one of {names}")
    return backend


def is_available() -> bool:
    """Return True: a backend is always there, as a process alone needs nothing else."""
    return True


def is_gloo_available() -> bool:
    """Return True: what is asked of "gloo" MPI does, and a process alone needs neither."""
    return True


def is_backend_available(backend: str) -> bool:
    """Return whether `init_process_group` takes this backend."""
    return str(backend).lower() in BACKENDS


def is_ucc_available() -> bool:
    """Return False: norch has no such backend."""
    return False


def is_xccl_available() -> bool:
    """Return False: norch has no such backend."""
    return False


def get_default_backend_for_device(device: Any) -> str:
    """Return the backend that PyTorch's scripts take for a device: "nccl" for GPUs, else "gloo".

    >>> get_default_backend_for_device("cuda:1"), get_default_backend_for_device("cpu")
    ('nccl', 'gloo')
    """
    kind = str(device).partition(":")[0]
    if kind not in _DEFAULTS:
        raise ValueError(
            f"[get_default_backend_for_device] there is none for {device}: expected a device of "
            f"{', '.join(_DEFAULTS)}"
        )
    return _DEFAULTS[kind]
