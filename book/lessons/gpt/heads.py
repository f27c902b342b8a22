"""What the heads of a GPT look at: their weights on a text, and how much of them lies where.

Called by chapter 7. A place is a rule that marks, for each character, some of those before it; a
head's share of a place is the part of its weights that lies there, as a mean over the characters
that have such a place. Nothing is trained here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import norch
from norch import nn

Mark = Callable[[str, int, int], bool]  # is j such a place for the character i?


def word_start(text: str, i: int) -> int:
    """Return where the word begins that character i stands in; where it is no letter, i."""
    while i > 0 and text[i].isalpha() and text[i - 1].isalpha():
        i -= 1
    return i


PLACES: dict[str, Mark] = {
    "itself": lambda text, i, j: j == i,
    "the one before": lambda text, i, j: j == i - 1,
    "two before": lambda text, i, j: j == i - 2,
    "start of the word": lambda text, i, j: j == word_start(text, i) < i,
    "before the word": lambda text, i, j: text[i].isalpha() and j == word_start(text, i) - 1,
    "same letter": lambda text, i, j: j < i and text[j] == text[i],
    "behind the same letter": lambda text, i, j: 0 < j < i and text[j - 1] == text[i],
    "ends of lines": lambda text, i, j: j < i and text[j] == "\n",
}


@norch.no_grad()
def weights(model: nn.Module, tokens: norch.Tensor) -> norch.Tensor:
    """(1, time) -> (layers, heads, time, time): how much each position takes from each."""
    x = model.characters(tokens) + model.places(norch.arange(tokens.shape[1]))
    found = []
    for block in model.blocks:
        found.append(of_attention(block.attention, block.norm1(x)))
        x = block(x)
    return norch.stack(found)


def of_attention(attention: nn.Module, x: norch.Tensor) -> norch.Tensor:
    """(1, time, width) -> (heads, time, time), by the formula."""
    _, time, width = x.shape
    split = attention.qkv(x[0]).view(time, 3, attention.heads, -1).permute(1, 2, 0, 3)
    q, k, _ = split.unbind(0)  # (heads, time, width / heads)
    scores = q @ k.mT / (width // attention.heads) ** 0.5
    later = norch.ones(time, time, dtype=norch.bool).triu(1)
    return scores.masked_fill(later, -float("inf")).softmax(-1)


class Share(NamedTuple):
    """How much of each head's weights lies in a place, and how much of even weights would."""

    of_heads: norch.Tensor  # (layers, heads)
    even: float


def shares(looked: norch.Tensor, pieces: Sequence[str]) -> dict[str, Share]:
    """(pieces, layers, heads, time, time) -> the shares of every place."""
    time = looked.shape[-1]
    even = norch.ones(time, time).tril() / (norch.arange(time) + 1)[:, None]
    found = {}
    for place, mark in PLACES.items():
        marked = norch.tensor([_marked(piece, mark) for piece in pieces])  # (pieces, time, time)
        rows = marked.amax(-1).sum()  # characters that have such a place
        found[place] = Share(
            (looked * marked[:, None, None]).sum((0, 3, 4)) / rows,
            ((even * marked).sum() / rows).item(),
        )
    return found


def _marked(text: str, mark: Mark) -> list[list[float]]:
    whole = range(len(text))
    return [[float(j <= i and mark(text, i, j)) for j in whole] for i in whole]


class Habit(NamedTuple):
    """The place that a head prefers most over even weights."""

    place: str
    share: float
    even: float


def habits(found: dict[str, Share]) -> list[list[Habit]]:
    """Return the habit of every head, a list a layer."""
    layers, heads = found["itself"].of_heads.shape

    def habit(layer: int, head: int) -> Habit:
        all_of = (
            Habit(place, one.of_heads[layer, head].item(), one.even) for place, one in found.items()
        )
        return max(all_of, key=lambda one: one.share - one.even)

    return [[habit(layer, head) for head in range(heads)] for layer in range(layers)]
