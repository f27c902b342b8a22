"""Devices: where an array lives, and which operations module serves it.

The CPU is always there. Every other device is asked of stage 3, imported only then; a device that
cannot serve raises, so that nothing ever stays on the CPU silently.
"""

from __future__ import annotations

import functools
from typing import Any, Self

import norch_cpu_ops
from norch_autograd.types.errors import refusal
from norch_autograd.types.modes import mode

_TYPES = ("cpu", "cuda", "cuda-sim")


class device:
    """A place for tensors: `device("cpu")`, `device("cuda", 0)`, `device("cuda:0")`,
    `device("cuda-sim")`.

    >>> device("cuda:1").index, str(device("cuda", 1)), device("cuda") == device("cuda")
    (1, 'cuda:1', True)
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | int | device, index: int | None = None) -> None:
        if isinstance(type, device):
            name, number = type.type, type.index if index is None else index
        elif isinstance(type, int) and not isinstance(type, bool) and index is None:
            name, number = "cuda", type
        elif isinstance(type, str):
            name, number = _parse(type, index)
        else:
            given = type.__class__.__name__
            raise TypeError(f"[device] a device is named by a string such as 'cpu', not by {given}")
        if number is not None and not isinstance(number, int):
            words = f"expected int | None, got {number.__class__.__name__}"
            raise refusal(TypeError, "device", words, "index")
        if number is not None and number < 0:
            raise RuntimeError(f"[device] the index must not be negative, got {number}")
        object.__setattr__(self, "type", name)
        object.__setattr__(self, "index", number)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"[device] a device cannot be changed ('{name}'); make a new one")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        inside = f"type='{self.type}'"
        return (
            f"device({inside})" if self.index is None else f"device({inside}, index={self.index})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> Self:
        """Until the block ends, new tensors of this thread live here unless told otherwise."""
        mode.devices = (*mode.devices, str(self))
        return self

    def __exit__(self, *_: object) -> None:
        mode.devices = mode.devices[:-1]


def _parse(text: str, index: int | None) -> tuple[str, int | None]:
    """The type and the index in a device's name such as 'cuda:1', both checked."""
    name, colon, number = text.partition(":")
    if name not in _TYPES:
        raise RuntimeError(
            f"[device] there is no device '{text}'; expected one of {', '.join(_TYPES)}"
        )
    if colon:
        if index is not None or not number.isdecimal():
            raise RuntimeError(f"[device] '{text}' is not a device; write for example 'cuda:0'")
        index = int(number)
    return name, index


@functools.lru_cache(maxsize=64)
def as_device(name: str) -> device:
    """The device object for an array's `device` string."""
    return device(name)


def set_default_device(device: Any) -> None:
    """Let new tensors of this thread live on `device`; None is the CPU again.

    Functions that take data from somewhere (`from_numpy`, `*_like`, `new_*`) keep its place.
    `with device("cuda"):` does the same for a block. Source: `torch.set_default_device`.

    >>> set_default_device("cuda-sim")
    >>> get_default_device()
    device(type='cuda-sim')
    >>> set_default_device(None)
    """
    mode.devices = ("cpu" if device is None else str(_device(device)), *mode.devices[1:])


def get_default_device() -> device:
    """Where new tensors of this thread live.

    >>> with device("cuda-sim"):
    ...     print(get_default_device())
    cuda-sim
    """
    return as_device(mode.devices[-1])


_device = device  # set_default_device's argument has the name of the class


def ops_for(name: str) -> Any:
    """From a device's name (`device.type`, perhaps an index) to its operations module.

    >>> ops_for("cpu").__name__
    'norch_cpu_ops.ops'
    """
    if name == "cuda":  # whichever GPU is the current one now
        return _load_ops(name)
    return _cached_ops(name)


def _load_ops(name: str) -> Any:
    """A device type's operations module: stage 2's, or stage 3's, imported at the first use."""
    if device(name).type == "cpu":
        return norch_cpu_ops.ops
    import norch_cuda

    return norch_cuda.ops_for(name)


_cached_ops = functools.lru_cache(maxsize=64)(_load_ops)
