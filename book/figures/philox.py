"""The picture of Philox (chapter 2): how the bits of a counter spread in ten rounds.

lessons/philox.py computes the rounds; `_static/philox_picture.js` lets a reader change seed and
position. The drawing for paper compares two neighbours.
"""

from lessons.philox import ROUNDS, Words, flips, rounds, uniform

from figures.explorer import Explorer
from figures.svg import Figure, colour

LEFT, BIT, ROW = 14, 4, 22


def picture(seed: int, position: int) -> Explorer:
    """Show the rounds of a position, and which bits the group before it has otherwise."""
    start = {"seed": seed, "position": position}
    drawing = spreading(seed, position)
    return Explorer("philox-picture", "picture of Philox", {"start": start}, drawing)


def spreading(seed: int, position: int) -> Figure:
    """Draw the four words after each round; marked: bits that differ from the group before."""
    if position < 4:
        raise ValueError(f"position {position} has no group before its own: take one from 4 on")
    now, before = rounds(seed, position), rounds(seed, position - 4)
    counts = [flips(one, other) for one, other in zip(now, before, strict=True)]
    numbers = ", ".join(f"{uniform(word):.4f}" for word in now[-1])
    alt = (
        f"Philox with seed {seed}: the counter of positions {position} to {position + 3} becomes "
        f"four words, {numbers} as numbers from 0 to 1. Bits that differ from the group before, "
        f"round after round: {', '.join(map(str, counts))}"
    )
    figure = Figure(2 * LEFT + 76 + 4 * (32 * BIT + 8) + 40, 40 + ROW * (ROUNDS + 1), alt)
    words = f"seed {seed}: groups {position // 4 - 1} and {position // 4}, bits that differ"
    figure.text(LEFT, 20, words, 15, anchor="start")
    for number, (one, other, count) in enumerate(zip(now, before, counts, strict=True)):
        y = 32 + ROW * number
        figure.text(LEFT, y + 14, f"round {number}" if number else "counter", 14, anchor="start")
        _words(figure, y, one, other)
        figure.text(figure.width - LEFT, y + 14, count, 14, anchor="end")
    return figure


def _words(figure: Figure, y: float, words: Words, others: Words) -> None:
    """Draw four words, the highest bit first: a bit of 1 below, a bit that differs above."""
    for number, (word, other) in enumerate(zip(words, others, strict=True)):
        left = LEFT + 76 + number * (32 * BIT + 8)
        figure.box(left - 1, y - 1, 32 * BIT + 1, ROW - 4, "empty")
        for bits, top, height, ink in ((word, 7, 9, "ink"), (word ^ other, 0, 6, "c4")):
            ones = [31 - bit for bit in range(31, -1, -1) if bits >> bit & 1]
            path = "".join(f"M{left + BIT * place} {y + top}h3v{height}h-3z" for place in ones)
            figure.parts.append(f'<path d="{path}" style="fill:{colour(ink)}"/>')
