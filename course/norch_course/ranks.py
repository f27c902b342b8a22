"""Ranks that are threads of one process: what tests of exercises play messages with, without MPI.

`Ranks.run` starts them; `post` and `take` carry one thing from rank to rank, `exchange` is what all
do together. A rank that would wait for ever is told so at once, because somebody sees that all
wait. What travels is plain data: tensors are made lists by whoever sends them.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any


class EndlessWait(RuntimeError):
    """What a rank waits for cannot come any more."""


class Ranks:
    """Some ranks in threads, with messages between them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._here = threading.local()
        self._change = threading.Condition()
        self._alive = size
        self._waits: dict[int, Callable[[], bool]] = {}
        self._mail: dict[tuple[int, int], deque[Any]] = defaultdict(deque)
        self._calls: list[list[tuple[str, Any]]] = [[] for _ in range(size)]

    def run(self, function: Callable[[int], Any]) -> list[Any]:
        """Call `function(rank)` on every rank; return the results, or raise the first error."""
        results: list[Any] = [None] * self.size
        errors: list[Exception | None] = [None] * self.size

        def live(rank: int) -> None:
            self._here.rank = rank
            try:
                results[rank] = function(rank)
            except Exception as error:
                errors[rank] = error
            with self._change:
                self._alive -= 1
                self._waits.pop(rank, None)
                self._change.notify_all()

        threads = [threading.Thread(target=live, args=(r,), daemon=True) for r in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = [error for error in errors if error is not None]
        for error in sorted(found, key=lambda error: isinstance(error, EndlessWait)):
            raise error
        return results

    def rank(self) -> int:
        """Return the rank of this thread."""
        rank: int = self._here.rank
        return rank

    def calls(self) -> list[str]:
        """Return which exchanges this rank has made."""
        return [what for what, _ in self._calls[self.rank()]]

    def post(self, to: int, thing: object) -> None:
        """Put something into the mail."""
        with self._change:
            self._mail[self.rank(), to].append(thing)
            self._change.notify_all()

    def take(self, source: int, what: str) -> Any:
        """Wait for the mail of one rank."""
        box = self._mail[source, self.rank()]
        self._wait(lambda: bool(box), lambda: f"[{what}] rank {source} sends nothing more")
        return box.popleft()

    def exchange(self, what: str, value: object) -> list[Any]:
        """Wait until every rank has made this call; return what each has brought."""
        rank = self.rank()
        turn = len(self._calls[rank])
        self._calls[rank].append((what, value))

        def missing() -> str:
            return ", ".join(str(r) for r, calls in enumerate(self._calls) if len(calls) <= turn)

        def complaint() -> str:
            return f"[{what}] rank {missing()} never makes this call: the others wait for ever"

        self._wait(lambda: not missing(), complaint)
        made = [calls[turn] for calls in self._calls]
        if len({name for name, _ in made}) > 1:
            names = ", ".join(name for name, _ in made)
            raise RuntimeError(f"[{what}] the ranks make different calls: {names}")
        return [brought for _, brought in made]

    def _wait(self, ready: Callable[[], bool], complaint: Callable[[], str]) -> None:
        """Return when `ready()`; raise when all ranks wait and nothing is ready for any."""
        with self._change:
            self._waits[self.rank()] = ready
            self._change.notify_all()
            self._change.wait_for(lambda: ready() or self._stuck())
            if not ready():
                raise EndlessWait(complaint())
            del self._waits[self.rank()]

    def _stuck(self) -> bool:
        """Tell whether every rank that still runs waits in vain."""
        return len(self._waits) == self._alive and not any(ok() for ok in self._waits.values())
