"""What carries tensors between ranks: one interface, whether they lie on the host or on a GPU.

`process_group` chooses a transport by device, `message` brings tensors into the form it wants, and
`collectives` and `buckets` start its messages. Every method only *starts* a message and returns its
request; arrays are contiguous. `out` and `parts` hold one equal row for each rank: `.rows` are
arrays to receive into, `.array` is all of them in one block.
"""

from __future__ import annotations

from typing import Any, Protocol

from norch_ddp.transports.work import Request


class Transport(Protocol):
    """The ranks of one group. `note` is what ranks state of it: theirs must be one transport.

    `op` is "sum", "product", "min" or "max", and "mean" where `takes_means`.
    """

    rank: int
    size: int
    note: str
    takes_means: bool

    def home(self, device: str) -> str:
        """Return where arrays must lie so that a tensor on `device` can travel."""

    def travels_as(self, dtype: Any) -> Any:
        """Return the dtype of the message for elements of `dtype`."""

    def close(self) -> None:
        """Release what the transport holds; every rank calls it."""

    def broadcast(self, array: Any, src: int) -> Request:
        """Write `src`'s array into everybody's."""

    def all_reduce(self, array: Any, op: str) -> Request:
        """Combine everybody's arrays in place."""

    def reduce(self, array: Any, op: str, dst: int) -> Request:
        """Combine everybody's arrays in `dst`'s; the others stay."""

    def all_gather(self, out: Any, array: Any) -> Request:
        """Write rank r's array into row r of everybody's `out`."""

    def gather(self, out: Any, array: Any, dst: int) -> Request:
        """Write rank r's array into row r of `dst`'s `out` (None on the other ranks)."""

    def scatter(self, array: Any, parts: Any, src: int) -> Request:
        """Write row r of `src`'s `parts` (None on the other ranks) into rank r's array."""

    def reduce_scatter(self, out: Any, parts: Any, op: str) -> Request:
        """Combine everybody's `parts` and write row r of the result into rank r's `out`."""

    def all_to_all(self, outs: list[Any], arrays: list[Any]) -> Request:
        """Write rank s's `arrays[r]` into rank r's `outs[s]`, for all s and r."""
