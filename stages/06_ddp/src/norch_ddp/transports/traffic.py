"""Bytes on the wire: what this rank sends, counted where a transport starts its messages.

`count_traffic` is what tests and lessons hold the formulas of `model_parallel` against. Each kind
of call counts by the least that any algorithm can send per rank, which a ring reaches: that is the
formula of the textbooks, whatever way the library below chose. Statements of collective checks (160
bytes each) are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_open: list[Counter[str]] = []  # those of the `with count_traffic()` around, the outermost first
_TRIPS = {"all_reduce": 2}  # a reduce_scatter, then an all_gather


@contextmanager
def count_traffic() -> Iterator[Counter[str]]:
    """Add up the bytes that this rank sends inside, by kind of call; `.total()` is all of them.

    Of `b` bytes among N ranks an all_reduce sends 2 (N - 1) / N b; an all_gather or a
    reduce_scatter whose whole has `b` bytes, a broadcast and a reduce (N - 1) / N b; send and
    gather all of b.

    >>> dist.init_process_group()
    >>> with count_traffic() as sent:
    ...     dist.all_reduce(norch.ones(10))
    >>> sent.total()  # a process alone has nobody to send to
    0
    """
    counter: Counter[str] = Counter()
    _open.append(counter)
    try:
        yield counter
    finally:
        del _open[next(i for i, each in enumerate(_open) if each is counter)]  # not an equal one


def count(op: str, nbytes: int, ranks: int) -> None:
    """Count the bytes of one message, in every `count_traffic` around it."""
    if not _open:
        return
    if op not in ("send", "gather"):
        nbytes = _TRIPS.get(op, 1) * nbytes * (ranks - 1) // ranks
    for counter in _open:
        counter[op] += nbytes
