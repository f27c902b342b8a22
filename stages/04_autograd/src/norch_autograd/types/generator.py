"""A random generator is a seed and a count of the numbers drawn so far.

Number n of a seed is the same on every device and with any number of threads: the rule stands in
stage 2's random header.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any


class Generator:
    """A stream of random numbers of its own.

    >>> g = norch.Generator().manual_seed(1)
    >>> h = norch.Generator().manual_seed(1)
    >>> norch.equal(norch.rand(3, generator=g), norch.rand(3, generator=h))
    True
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device
        self._seed = 67280421310721  # PyTorch's default
        self._drawn = 0

    def manual_seed(self, seed: int) -> Generator:
        """Start the random stream of `seed` from its beginning."""
        if isinstance(seed, bool) or not hasattr(type(seed), "__index__"):
            given = type(seed).__name__
            raise TypeError(f"[manual_seed] the seed must be a whole number, got {given}")
        if not -(2**63) <= (seed := index(seed)) < 2**64:
            raise ValueError(f"[manual_seed] the seed must fit 64 bits, got {seed}")
        self._seed = seed % 2**64
        self._drawn = 0
        return self

    def seed(self) -> int:
        """Start a random stream that nobody can foresee; returns its seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed of this random stream."""
        return self._seed

    def get_state(self) -> tuple[int, int]:
        """Where the random stream stands: (seed, numbers drawn)."""
        return self._seed, self._drawn

    def set_state(self, state: tuple[int, int]) -> Generator:
        """Return to where `get_state` was called."""
        self._seed, self._drawn = state
        return self

    def draw(self, count: int) -> tuple[int, int]:
        """Reserve `count` numbers of the stream: the seed, and the place of the first."""
        first, count = self._drawn, int(count)  # a size may be a tensor
        if 0 < count < 2**48:  # a count that no memory holds is the caller's to refuse
            self._drawn += count
        return self._seed, first


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Start the default stream of `seed`.

    >>> norch.manual_seed(0).initial_seed()
    0
    """
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """The seed of the default stream.

    >>> _ = norch.manual_seed(3)
    >>> norch.initial_seed()
    3
    """
    return default_generator.initial_seed()


def seed() -> int:
    """Start a default stream that nobody can foresee; returns its seed.

    >>> norch.seed() == norch.initial_seed()
    True
    """
    return default_generator.seed()


def get_rng_state() -> tuple[int, int]:
    """Where the default stream stands."""
    return default_generator.get_state()


def set_rng_state(new_state: tuple[int, int]) -> None:
    """Return the default stream to where `get_rng_state` was called."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None, enabled: bool = True, device_type: str = "cuda"
) -> Iterator[None]:
    """Draw inside the block without moving the default stream, which is that of all devices.

    >>> norch.manual_seed(0).get_state()
    (0, 0)
    >>> with fork_rng():
    ...     drawn = norch.rand(3)
    >>> norch.get_rng_state()
    (0, 0)
    """
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


def or_default(generator: Generator | None) -> Generator:
    """The random generator that was asked for, or the default one."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        given = type(generator).__name__
        raise TypeError(f"[random] generator must be a Generator or None, got {given}")
    return generator
