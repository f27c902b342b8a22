"""Progress bars, where there is no terminal to draw one in: they count nothing and draw nothing."""

from collections.abc import Iterable, Iterator


class tqdm:
    """What a loop that is watched needs of a bar."""

    def __init__(self, iterable: Iterable = (), *_: object, **options: object) -> None:
        self.iterable = iterable

    def __iter__(self) -> Iterator:
        return iter(self.iterable)

    def set_postfix(self, *_: object, **words: object) -> None:
        """Show nothing."""

    def update(self, count: int = 1) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Leave nothing behind."""
