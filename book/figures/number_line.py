"""The page on quantization: weights on a line, the levels of int8 under them, and an outlier.

lessons/outliers.py records what is drawn; the player's slider drags the outlier. Nothing is
rounded here.
"""

from collections.abc import Sequence

from lessons.outliers import Moment, Rounded

from figures.player import Player, stretches
from figures.svg import colour

LEFT, MIDDLE, HALF = 14, 228, 204  # where the line has its 0, and how far it reaches
ROW, TOP = 62, 44


def outlier(rows: Sequence[Sequence[float]], place: tuple[int, int], seen: list[Moment]) -> Player:
    """Draw two rows of weights, rounded in two ways, while one weight at `place` moves outward."""
    ways = list(seen[0].ways)
    alt = (
        f"two rows of weights on a line with the levels of int8. One weight moves from "
        f"{seen[0].outlier:g} to {seen[-1].outlier:g}; {_sentence(seen[-1])}"
    )
    height = len(ways) * (TOP + ROW * len(rows)) + 10
    player = Player(2 * MIDDLE, height, alt, [_sentence(one) for one in seen], "the large weight")
    reach = 1.15 * seen[0].outlier  # what the window shows, to either side
    for number, way in enumerate(ways):
        top = number * (TOP + ROW * len(rows))
        player.text(LEFT, top + 24, way, 16, anchor="start", weight="bold")
        for row, values in enumerate(rows):
            y = top + TOP + ROW * row
            others = [v for k, v in enumerate(values) if (row, k) != place]
            kept = [k for k in range(len(values)) if (row, k) != place]
            for rounded, first, last in stretches([one.ways[way][row] for one in seen]):
                with player.during(first, last):
                    _levels(player, y, rounded, reach)
                    _rounded(player, y, others, [rounded.levels[k] for k in kept], rounded, reach)
            _dots(player, y, others, reach)
            if row == place[0]:
                _large(player, y, [one.outlier for one in seen], reach)
    return player


def _sentence(moment: Moment) -> str:
    told = []
    for way, rows in moment.ways.items():
        steps = " and ".join(dict.fromkeys(f"{row.scale:.2g}" for row in rows))
        errors = " and ".join(f"{row.error:.1%}" for row in rows)
        told.append(f"{way}: steps of {steps}, the others of the two rows off by {errors}")
    return f"The large weight is {moment.outlier:g}. With {'; with '.join(told)}."


def _x(value: float, reach: float) -> float:
    return MIDDLE + HALF * value / reach


def _levels(player: Player, y: float, rounded: Rounded, reach: float) -> None:
    """Draw a tick for each level in sight, outward from 0, and the row's step and error."""
    step = HALF * rounded.scale / reach
    far, blank = min(127 * step, HALF) + 0.5, max(step - 0.8, 0)
    for way in (-1, 1):
        style = (
            f"stroke:{colour('line')};stroke-width:12;stroke-dasharray:0.8 {blank:.3f};"
            "stroke-dashoffset:0.4"
        )
        player.parts.append(
            f'<path d="M{MIDDLE} {y + 12}H{MIDDLE + way * far:.1f}" style="{style}"/>'
        )
    words = f"a step of {rounded.scale:.2g}, the others off by {rounded.error:.1%}"
    player.text(LEFT, y + 36, words, 14, "soft", anchor="start")


def _rounded(
    player: Player,
    y: float,
    values: list[float],
    levels: list[int],
    rounded: Rounded,
    reach: float,
) -> None:
    """Draw a line from each value to the level that it becomes."""
    lines = "".join(
        f"M{_x(value, reach):.1f} {y - 8}L{_x(level * rounded.scale, reach):.1f} {y + 12}v6"
        for value, level in zip(values, levels, strict=True)
    )
    style = f"fill:none;stroke:{colour('ink')};stroke-width:1.4"
    player.parts.append(f'<path d="{lines}" style="{style}"/>')


def _dots(player: Player, y: float, values: list[float], reach: float) -> None:
    for value in values:
        style = f"fill:{colour('c0')};stroke:{colour('ink')}"
        x = _x(value, reach)
        player.parts.append(f'<circle cx="{x:.1f}" cy="{y - 8}" r="4" style="{style}"/>')


def _large(player: Player, y: float, sizes: list[float], reach: float) -> None:
    """Draw the weight that moves: a dot in sight, then an arrow to where it is."""
    for frame, size in enumerate(sizes):
        with player.during(frame, frame):
            x = min(_x(size, reach), MIDDLE + HALF)
            style = f"fill:{colour('c4')};stroke:{colour('ink')}"
            player.parts.append(f'<circle cx="{x:.1f}" cy="{y - 8}" r="6" style="{style}"/>')
            if size > reach:
                player.arrow(x + 6, y - 8, x + 22, y - 8)
            player.text(x, y - 18, f"{size:g}", 14, weight="bold")
