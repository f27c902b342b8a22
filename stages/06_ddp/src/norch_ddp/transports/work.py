"""A communication that has started: poll it, wait for it, then put the answer where it belongs.

Made by `collectives`, `mpi_ring` and `buckets`. Waiting polls instead of blocking inside MPI, so
Ctrl-C works, a rank that never answers ends in an error, and ranks that share a core give way to
each other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from datetime import timedelta

PATIENT_SECONDS = 0.05
"""How long a wait polls eagerly before it starts to sleep between two looks: large messages move on
only while somebody looks, and a look after 0.1 ms halves their speed in shared memory."""

LOOKS = 20
"""Looks at once, before others are let run: a small message of this machine is there by then."""

CROWDED_SECONDS = 0.002
"""The same where the ranks of a machine share cores: another one may need this one's."""


class Request(Protocol):
    """What a transport returns for a message under way."""

    def test(self) -> bool:
        """Move the message on and say whether it has arrived."""


class Waiting(Protocol):
    """Who waits: the group of a message, or a `Limit`."""

    @property
    def seconds(self) -> float:
        """How long to wait before it is an error."""

    def silence(self) -> str:
        """Say which ranks give no sign of life; asked when a wait took too long."""

    def move_on(self) -> object:
        """Move on the transports' other messages: another rank may wait for one of them first."""


def _nothing_else() -> None:
    """Of a `Limit` beside which nothing is under way."""


class Limit(NamedTuple):
    """A time limit where there is no group to ask."""

    seconds: float
    move_on: Callable[[], object] = _nothing_else

    def silence(self) -> str:
        """Return that nobody was asked: a Limit has no group."""
        return "look for one that gives no sign of life"


def _order(request: Request) -> Request:
    """Let the device wait in the host's place, where it can; return what is left for the host."""
    order: Callable[[], Request] | None = getattr(request, "order", None)
    return request if order is None else order()


class Done:
    """The request of a message that needs no time: a process alone has nobody to wait for."""

    def test(self) -> bool:
        """Return True: there was nothing to do."""
        return True


DONE = Done()


class Together:
    """Several messages as one: over when all are."""

    __slots__ = ("_requests",)

    def __init__(self, requests: list[Request]) -> None:
        self._requests = requests

    def order(self) -> Together:
        """Let the device wait for those between GPUs."""
        self._requests = [_order(request) for request in self._requests]
        return self

    def test(self) -> bool:
        """Move the messages on and say whether all have arrived."""
        self._requests = [request for request in self._requests if not request.test()]
        return not self._requests


class Future:
    """A value that is there later, as `Work.get_future()` returns it and `then` goes on from it.

    `wait` makes it: nothing runs behind the caller's back, so that ranks which wait in one order
    also call in one order. Source: `torch.futures.Future`.
    """

    __slots__ = ("_is_ready", "_make", "_value")

    def __init__(
        self, make: Callable[[], Any] | None = None, is_ready: Callable[[], bool] | None = None
    ) -> None:
        """Take the function that waits for the value and returns it, or leave it to set_result.

        `is_ready` says without waiting whether it would have to.
        """
        self._make = make
        self._is_ready = is_ready
        self._value: Any = None

    def wait(self) -> Any:
        """Return the value, when it is there."""
        if self._make is not None:
            self._value, self._make = self._make(), None
        return self._value

    def value(self) -> Any:
        """Return the value."""
        return self.wait()

    def set_result(self, result: Any) -> None:
        """Give the value."""
        self._value, self._make = result, None

    def done(self) -> bool:
        """Return whether the value is there, or can be made without waiting."""
        return self._make is None or (self._is_ready is not None and self._is_ready())

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """Return a future of what `callback` makes of this one."""

        def make() -> Any:
            self.wait()
            return callback(self)

        return Future(make, self.done)


class Work:
    """A collective or a message under way, as returned with `async_op=True`.

    `finish` runs once, when the message has arrived: it copies a buffer back or divides a
    sum. `give_up` is called after a timeout; it returns False if the message has just come.
    """

    __slots__ = ("_finish", "_give_up", "_group", "_request", "_result", "_what")

    def __init__(
        self,
        request: Request,
        what: str,
        group: Waiting,
        finish: Callable[[], object] | None = None,
        result: Any = None,
        give_up: Callable[[], bool] | None = None,
    ) -> None:
        self._request: Request | None = request
        self._what = what
        self._group = group
        self._finish = finish
        self._result = result
        self._give_up = give_up

    def is_completed(self) -> bool:
        """Move messages on and say whether the result of this one is in place."""
        if self.look():
            return True
        self._group.move_on()
        return False

    def look(self) -> bool:
        """Move this message alone on and say whether its result is in place."""
        if self._request is None:
            return True
        if not self._request.test():
            return False
        self._request = None
        if self._finish is not None:
            self._finish()
        return True

    def get_future(self) -> Future:
        """Return the result as a Future: a list of the one tensor, where the call has one."""

        def result() -> list[Any]:
            self.wait()
            return [] if self._result is None else [self._result]

        return Future(result, self.is_completed)

    def wait(self, timeout: timedelta | float | None = None) -> bool:
        """Return True when the result is in place; raise RuntimeError after the timeout.

        Without one, the group's counts, and what GPUs send each other is left to the device: its
        current stream waits, the host goes on. A number is in seconds.
        """
        if timeout is None and self._request is not None:
            self._request = _order(self._request)
        seconds = self._group.seconds if timeout is None else in_seconds(self._what, timeout)
        for _ in range(LOOKS):
            if self.look():
                return True
        start = time.monotonic()
        while not self.is_completed():
            elapsed = time.monotonic() - start
            if elapsed > seconds and (self._give_up is None or self._give_up()):
                raise RuntimeError(
                    f"[{self._what}] waited {elapsed:.0f} s for another rank: "
                    f"{self._group.silence()}. Every rank must make this call: look for one that "
                    "ended early, took another branch or had fewer batches, for a host that is cut "
                    "off, or allow more time with init_process_group(timeout=seconds)"
                )
            _give_way(elapsed)
        return True


def in_seconds(op: str, timeout: timedelta | float) -> float:
    """Return the timeout of a wait for a Work, group or store in seconds; it must be positive."""
    seconds = float(timeout) if isinstance(timeout, (int, float)) else timeout.total_seconds()
    if not seconds > 0:
        raise ValueError(f"[{op}] timeout {seconds} s must be positive")
    return seconds


def _give_way(elapsed: float) -> None:
    """Let another rank run while this one waits for a Work: at once at first, then with sleep."""
    if elapsed < patient_seconds() and hasattr(os, "sched_yield"):
        os.sched_yield()
    else:
        time.sleep(1e-4)


@cache
def patient_seconds() -> float:
    """Return how long a wait for a Work polls eagerly on this machine."""
    ranks = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    return PATIENT_SECONDS if ranks <= (os.cpu_count() or 1) else CROWDED_SECONDS
