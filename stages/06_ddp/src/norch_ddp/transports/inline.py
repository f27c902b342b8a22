"""The transport of small tensors: everybody's are here already, inline with their statements.

The check before a collective brings what all ranks state of it; arrays of up to a kilobyte travel
in the same message. What is left to do is done at home, by every rank alike and in one order, so
that all get the same bits. One message instead of two: half the time of a small `all_reduce`.
"""

from __future__ import annotations

import functools
from typing import Any

from norch_cpu_ops.ops import add, copy_, maximum, minimum, mul
from norch_ddp.transports.slots import Slots
from norch_ddp.transports.traffic import count
from norch_ddp.transports.work import DONE, Done

_COMBINE = {"sum": add, "product": mul, "min": minimum, "max": maximum}


class InlineTransport:
    """The collectives of one call, on the arrays that came with its statements."""

    __slots__ = ("_rank", "_size", "_slots")

    def __init__(self, slots: Slots, rank: int, size: int) -> None:
        self._slots = slots
        self._rank = rank
        self._size = size

    def broadcast(self, array: Any, src: int) -> Done:
        """Write `src`'s array into everybody's."""
        count("broadcast", array.nbytes, self._size)
        copy_(array, self._slots.latest.everybody[src])
        return DONE

    def all_reduce(self, array: Any, op: str) -> Done:
        """Combine everybody's arrays in place."""
        count("all_reduce", array.nbytes, self._size)
        copy_(array, _combine(self._slots.latest.everybody, op))
        return DONE

    def reduce(self, array: Any, op: str, dst: int) -> Done:
        """Combine everybody's arrays in `dst`'s; the others stay."""
        count("reduce", array.nbytes, self._size)
        if self._rank == dst:
            copy_(array, _combine(self._slots.latest.everybody, op))
        return DONE

    def all_gather(self, out: Any, array: Any) -> Done:
        """Write rank r's array into row r of everybody's `out`."""
        return self.all_gather_rows(out.rows, array)

    def all_gather_rows(self, rows: list[Any], array: Any) -> Done:
        """Write rank r's array into `rows[r]` on every rank."""
        count("all_gather", array.nbytes * self._size, self._size)
        return self._write_rows(rows)

    def gather(self, out: Any, array: Any, dst: int) -> Done:
        """Write rank r's array into row r of `dst`'s `out` (None on the other ranks)."""
        count("gather", 0 if self._rank == dst else array.nbytes, self._size)
        return DONE if out is None else self._write_rows(out.rows)

    def scatter(self, array: Any, parts: Any, src: int) -> Done:
        """Write row r of `src`'s `parts` into rank r's array."""
        count("scatter", 0 if parts is None else array.nbytes * self._size, self._size)
        copy_(array, self._row(self._slots.places(array).everybody[src]))
        return DONE

    def reduce_scatter(self, out: Any, parts: Any, op: str) -> Done:
        """Combine everybody's `parts` and write row r of the result into rank r's `out`."""
        count("reduce_scatter", out.nbytes * self._size, self._size)
        rows = [self._row(place) for place in self._slots.places(out).everybody]
        copy_(out, _combine(rows, op))
        return DONE

    def _write_rows(self, rows: list[Any]) -> Done:
        """Copy every rank's array out of its slot into `rows`."""
        for row, place in zip(rows, self._slots.places(rows[0]).everybody, strict=True):
            copy_(row, place)
        return DONE

    def _row(self, place: Any) -> Any:
        """This rank's row of an array that a rank sent, of which `place` is the first row."""
        return place.view((place.shape, place.strides, place.offset + self._rank * place.numel))


def _combine(arrays: list[Any], op: str) -> Any:
    """Return the combination of all ranks' arrays, in rank order."""
    return functools.reduce(_COMBINE[op], arrays)
