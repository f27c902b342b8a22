"""The transport of a process alone: every collective is the identity, no message leaves.

`init_process_group` chooses it when no launcher started the process, so that the same script runs
without MPI. It has the collectives of `MpiTransport` and never imports it; tensors stay where they
are, on the host or on a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, no_grad
from norch_ddp.transports.work import Done


class SoloTransport:
    """Rank 0 of 1."""

    rank = 0
    size = 1
    note = ""
    takes_means = False
    hosts = ("",)

    inline: Any  # this and the next three: nobody asks, for there is nobody else
    send: Any
    recv: Any
    has_message: Any

    def silent_ranks(self, seconds: float) -> list[int]:
        """Return that nobody is silent: there is nobody else."""
        return []

    def home(self, device: str) -> str:
        """Return `device`: nothing leaves it."""
        return device

    def travels_as(self, dtype: Any) -> Any:
        """Return `dtype`."""
        return dtype

    def duplicate(self) -> SoloTransport:
        """Return a second channel."""
        return self

    def move_on(self) -> None:
        """Move nothing on: no message is under way."""

    def split(
        self, part: int | None, parts: Sequence[Sequence[int]], seconds: float
    ) -> SoloTransport | None:
        """Return a channel of `parts[part]` alone: rank 0's, or nobody's."""
        return None if part is None else self

    def close(self) -> None:
        """Release nothing."""

    def exchange(self, statement: bytes, answers: bytearray) -> Done:
        """Write everybody's statement into `answers`: the only one is ours."""
        answers[:] = statement
        return Done()

    def exchange_parts(self, parts: bytes, answers: bytearray) -> Done:
        """Write the only part, ours, into `answers`."""
        return self.exchange(parts, answers)

    def broadcast(self, array: Any, src: int) -> Done:
        """Leave `array` as it is: the only sender is the only receiver."""
        return Done()

    def all_reduce(self, array: Any, op: str) -> Done:
        """Leave `array` as it is: the sum of one term."""
        return Done()

    def reduce(self, array: Any, op: str, dst: int) -> Done:
        """Leave `array` as it is."""
        return Done()

    def all_gather(self, out: Any, array: Any) -> Done:
        """Copy `array` into the one row of `out`."""
        return _copy(out.array, array)

    def gather(self, out: Any, array: Any, dst: int) -> Done:
        """Copy `array` into the one row of `out`."""
        return _copy(out.array, array)

    def scatter(self, array: Any, parts: Any, src: int) -> Done:
        """Copy the one row of `parts` into `array`."""
        return _copy(array, parts.array)

    def reduce_scatter(self, out: Any, parts: Any, op: str) -> Done:
        """Copy the one row of `parts` into `out`."""
        return _copy(out, parts.array)

    def all_to_all(self, outs: list[Any], arrays: list[Any]) -> Done:
        """Copy the one array into the one place."""
        return _copy(outs[0], arrays[0])


def _copy(dst: Any, src: Any) -> Done:
    """Copy a contiguous array: the message of a process to itself."""
    with no_grad():
        Tensor(dst).reshape(-1).copy_(Tensor(src).reshape(-1))  # both contiguous: views
    return Done()
