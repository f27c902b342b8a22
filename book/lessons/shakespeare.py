"""A text as numbers, one for each kind of character, and pieces of it to learn from."""

import gzip
import os
from pathlib import Path

import norch


def shakespeare() -> str:
    """Return tiny Shakespeare, from the folder that `NORCH_DATA` names."""
    path = Path(os.environ.get("NORCH_DATA", "."), "tinyshakespeare", "input.txt.gz")
    if not path.is_file():
        raise FileNotFoundError(f"no text at {path}: set NORCH_DATA to the folder of your data")
    return gzip.decompress(path.read_bytes()).decode()


class Text:
    """A text as a row of numbers; `letters` are its kinds of characters, in alphabetical order."""

    def __init__(self, text: str) -> None:
        """Number the kinds of characters."""
        self.letters = sorted(set(text))
        self.numbers = self.encode(text)[0]

    def __len__(self) -> int:
        """Return how many characters it has."""
        return len(self.numbers)

    def encode(self, text: str) -> norch.Tensor:
        """Return the numbers of some characters: (1, time)."""
        number = {letter: i for i, letter in enumerate(self.letters)}
        return norch.tensor([[number[letter] for letter in text]])

    def decode(self, numbers: norch.Tensor) -> str:
        """Return the characters of a row of numbers."""
        return "".join(self.letters[i] for i in numbers.tolist())

    def batch(
        self, size: int, context: int, dice: norch.Generator
    ) -> tuple[norch.Tensor, norch.Tensor]:
        """Cut random pieces: what is read, and what follows each character of it."""
        starts = norch.randint(0, len(self) - context, (size, 1), generator=dice)
        pieces = self.numbers[starts + norch.arange(context + 1)]
        return pieces[:, :-1], pieces[:, 1:]
