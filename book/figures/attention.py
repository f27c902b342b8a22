"""The pictures of chapter 7: a running softmax, tiles, a curve of losses.

Each function computes what it draws from numbers that it is given, and returns a `Figure`.
"""

from collections.abc import Sequence
from math import exp, inf

from figures.svg import Figure

LEFT = 14


def running(scores: Sequence[float]) -> Figure:
    """Draw a softmax that meets its scores one by one: the largest so far, and the sum so far."""
    largest, total, rows = -inf, 0.0, []
    for score in scores:
        now = max(largest, score)
        total = total * exp(largest - now) + exp(score - now)
        rows.append((score, now, total, now > largest and largest > -inf))
        largest = now
    drops = [str(place) for place, row in enumerate(rows, 1) if row[3]]  # counted from 1
    alt = f"scores {', '.join(map(str, scores))}, one by one: the sum is taken relative to the "
    alt += f"largest so far and ends at {total:.3f} times exp({largest})"
    figure = Figure(2 * LEFT + 130 + 76 * len(rows), 150, alt)
    for y, name in ((44, "score"), (80, "largest so far"), (116, "sum so far")):
        figure.text(LEFT, y, name, 14, "soft", anchor="start")
    for place, (score, now, total, shrinks) in enumerate(rows):
        x = LEFT + 120 + 76 * place
        for y, number in ((24, score), (60, now), (96, f"{total:.3f}")):
            figure.box(x, y, 66, 28, "c1" if shrinks and y > 24 else "c0")
            figure.text(x + 33, y + 20, number, 14)
    words = f"columns {' and '.join(drops)}: a new largest, the sum shrinks"
    figure.text(LEFT + 120, 144, words, 13, "soft", anchor="start")
    return figure


def walk(size: int, tile: int, block: int) -> Figure:
    """Draw queries (rows) against keys: what a block walks over, what is hidden from it."""
    seen = block + 1
    alt = (
        f"{size} queries and {size} keys in tiles of {tile}: block {block} walks over {seen} tiles "
        f"of keys; of all {(size // tile) ** 2} tiles, those above the diagonal are never computed"
    )
    step = 16
    side = step * size
    figure = Figure(2 * LEFT + 90 + side + 120, 60 + side, alt)
    figure.text(LEFT + 90 + side / 2, 20, "keys", 14, "soft")
    figure.text(LEFT + 80, 44 + side / 2, "queries", 14, "soft", anchor="end")
    for i in range(size):
        for j in range(size):
            mine, hidden = i // tile == block, j > i
            fill = "empty" if hidden else f"c{j // tile % 6}" if mine else "c5"
            figure.box(LEFT + 90 + step * j, 32 + step * i, step - 2, step - 2, fill)
    for stop in range(seen):
        x = LEFT + 90 + step * tile * (stop + 0.5)
        figure.text(x - 1, 32 + step * tile * (block + 0.5) + 5, stop + 1, 15, weight="bold")
    return figure


def losses(values: Sequence[float], start: float, across: str) -> Figure:
    """Draw a mean loss for each stretch of a training, below what guessing costs."""
    alt = f"the loss over {len(values)} stretches of {across}: {values[0]:.2f} at first, "
    alt += f"{values[-1]:.2f} at the end; guessing costs {start:.2f}"
    left, top, wide, high = 58, 40, 360, 170
    most = max(start, *values)
    place = lambda i, loss: (  # noqa: E731
        left + wide * i / (len(values) - 1),
        top + high * (1 - loss / most),
    )
    figure = Figure(left + wide + 40, top + high + 44, alt)
    figure.text(LEFT, 22, "loss", 15, anchor="start")
    for part in (0.0, 0.5, 1.0):
        y = top + high * (1 - part)
        figure.line([(left, y), (left + wide, y)], "line", 0.5)
        figure.text(left - 8, y + 5, f"{most * part:.1f}", 13, "soft", anchor="end")
    figure.line([place(0, start), place(len(values) - 1, start)], "soft", 1.2, dashed=True)
    figure.text(left + wide, place(0, start)[1] + 18, "guessing", 13, "soft", anchor="end")
    figure.line([place(i, loss) for i, loss in enumerate(values)], "ink", 2.2)
    figure.text(left + wide / 2, top + high + 30, across, 13, "soft")
    return figure
