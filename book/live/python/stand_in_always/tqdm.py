"""Progress bars where there is no terminal: a page draws them under the cell that is running.

`show` gets each step, at most ten a second; whoever runs cells sets it. A program that asks for a
bar says `disable=None` where no terminal is, which is not heard here.
"""

from collections.abc import Callable, Iterable, Iterator
from operator import length_hint
from time import monotonic

STEP = 0.1  # seconds between two steps that are shown
show: list[Callable[[int, int, str], None]] = [lambda done, total, words: None]


class tqdm:
    """What a loop that is watched needs of a bar."""

    def __init__(
        self, iterable: Iterable = (), desc: str = "", total: int | None = None, **options: object
    ) -> None:
        self.iterable, self.desc, self.more = iterable, desc or "", ""
        self.total = length_hint(iterable) if total is None else total
        self.done, self.shown = 0, -STEP

    def __iter__(self) -> Iterator:
        for one in self.iterable:
            yield one
            self.update()

    def set_postfix(self, *_: object, **words: object) -> None:
        """Say more beside the bar."""
        self.more = ", ".join(f"{name}={value}" for name, value in words.items())

    def update(self, count: int = 1) -> None:
        """Go on by so many, and show where it is."""
        self.done += count
        now = monotonic()
        if now - self.shown >= STEP or self.done == self.total:
            self.shown = now
            show[0](self.done, self.total, f"{self.desc} {self.more}".strip())

    def close(self) -> None:
        """Leave nothing behind: the page takes the bar away with the cell."""
