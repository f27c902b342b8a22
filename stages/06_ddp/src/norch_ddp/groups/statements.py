"""What ranks state of a call before data moves: a mismatch is an error on every rank, not a hang.

`process_group` states every collective here. One small message compares everybody's statements; it
waits like any other, so a rank that makes no call at all ends in an error too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol
from zlib import crc32

from norch_ddp.transports.agreement import Agreement
from norch_ddp.transports.slots import STATEMENT_BYTES, Slots
from norch_ddp.transports.work import Limit, Work

EXIT_NOTICE = "ended: this rank's script is over"


class Group(Protocol):
    """What statements ask of a process group."""

    transport: Any
    ranks: tuple[int, ...]
    seconds: float
    has_ended_rank: bool

    def silence(self) -> str:
        """Say which ranks of the group give no sign of life."""

    def move_on(self) -> object:
        """Move on what else is under way in the group, while ranks wait for statements."""


def state_call(group: Group, op: str, statement: bytes, array: Any = None) -> None:
    """State a call to the group; RuntimeError with all ranks' calls if they are not equal."""
    answers = exchange_statements(group, op, statement, array)
    if answers is not None:
        raise disagreement(group, op, answers)


def disagreement(group: Group, op: str, answers: list[str]) -> RuntimeError:
    """Return the error that says what every rank of the group stated."""
    pairs = zip(group.ranks, answers, strict=True)
    lines = "".join(f"\n  rank {rank}: {answer}" for rank, answer in pairs)
    return RuntimeError(
        f"[{op}] the ranks disagree, and no data has moved:{lines}\n"
        "every rank must make the same calls in the same order, with equal shapes and dtypes"
    )


def exchange_statements(
    group: Group, op: str, statement: bytes, array: Any = None
) -> list[str] | None:
    """Bring every rank's statement, and array, to every rank: a message of few microseconds.

    Returns the statements in rank order, None if all are equal.
    """
    if group.has_ended_rank:
        raise RuntimeError(
            f"[{op}] another rank's script is over, so nobody would answer: "
            "every rank must make the same calls in the same order"
        )
    slots: Slots | Agreement = group.transport.slots
    if slots.under_way:  # of a call that was given up: its answers come first
        Work(slots, op, group).wait()
    return None if slots.start(statement, array) else wait_for_statements(group, op, slots)


def wait_for_statements(group: Group, op: str, slots: Slots | Agreement) -> list[str] | None:
    """Wait for the group's statements and return them in rank order, None if all are equal."""
    Work(slots, op, group).wait()
    found = slots.statements()
    if found.count(found[0]) == len(found):
        return None
    answers = [raw.rstrip(b"\0").decode(errors="replace") for raw in found]
    group.has_ended_rank = EXIT_NOTICE in answers
    return answers


def exchange_exit_notices(groups: Sequence[Group], seconds: float = math.inf) -> None:
    """State to these process groups that this rank has gone; return when all have heard.

    All groups at once: another rank may wait in any of them, and answer in that one alone. Those
    come last where a call was given up: its answers come first.
    """
    limit = Limit(seconds, groups[0].move_on)  # others may wait for a ring of this rank's
    for group in sorted(groups, key=lambda group: group.transport.slots.under_way):
        Work(group.transport.slots, "exit", limit).wait()
        group.transport.slots.start(encode_statement(EXIT_NOTICE))
    for group in groups:
        Work(group.transport.slots, "exit", limit).wait()


@lru_cache(maxsize=1024)  # a training loop makes the same few calls again and again
def encode_statement(text: str) -> bytes:
    """Return a group's statement, of fixed width; a long text keeps its start and a checksum."""
    raw = text.encode()
    if len(raw) > STATEMENT_BYTES:
        raw = raw[: STATEMENT_BYTES - 12] + b"... %08x" % crc32(raw)
    return raw.ljust(STATEMENT_BYTES, b"\0")
