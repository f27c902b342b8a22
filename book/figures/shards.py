"""The pictures of chapter 6, part 2: which rank holds which part of a model, and what it does when.

Every function takes plain numbers, or lines that ranks have printed, and returns a `Figure`. Part r
has the colour and the number of rank r in all pictures.
"""

import re
from collections.abc import Mapping, Sequence

from figures.svg import Figure

LEFT = 14
COLOURS = ("c0", "c1", "c3", "c4", "c5", "c2")
BITES = {"F": "c0", "B": "c1"}  # forward, backward
TICK = re.compile(r"([FB])(\d+)@(\d+)")


def stacked(title: str, rows: Mapping[str, Mapping[str, float]], unit: str) -> Figure:
    """Draw a bar for each row, made of pieces laid end to end, and the sum behind it."""
    sums = {name: sum(pieces.values()) for name, pieces in rows.items()}
    told = "; ".join(
        f"{name}: " + ", ".join(f"{piece} {size:g}" for piece, size in pieces.items())
        for name, pieces in rows.items()
    )
    kinds = list(next(iter(rows.values())))
    figure = Figure(450, 52 + 24 * -(-len(kinds) // 2) + 36 * len(rows), f"{title}, {unit}: {told}")
    _say(figure, LEFT, 20, f"{title} ({unit})")
    for number, kind in enumerate(kinds):
        x, y = LEFT + number % 2 * 200, 36 + number // 2 * 24
        figure.box(x, y, 16, 16, COLOURS[number])
        _say(figure, x + 24, y + 13, kind, 14)
    top = 46 + 24 * -(-len(kinds) // 2)
    for line, (name, pieces) in enumerate(rows.items()):
        x, y = 112.0, top + 36 * line
        _say(figure, LEFT, y + 18, name, 14)
        for number, size in enumerate(pieces.values()):
            wide = 260 * size / max(sums.values())
            figure.box(x, y, wide, 26, COLOURS[number])
            x += wide
        _say(figure, x + 8, y + 18, f"{sums[name]:g}", 14)
    return figure


class Drawing:
    """An SVG text of another package, shown as the figures of the book are."""

    def __init__(self, svg: str) -> None:
        """Keep the text, and the sentence that describes it."""
        self.svg, self.alt = svg, re.search(r'aria-label="([^"]*)"', svg)[1]

    def _repr_html_(self) -> str:
        return f'<div class="norch-figure">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"


Held = Mapping[str, Sequence[set[int]]]
"""For each kind of thing, such as "gradients": which parts of it each rank has."""


def held(strategies: Mapping[str, Held], parts: int = 4) -> Figure:
    """Draw for each strategy which parts of what each rank has; what it has not stays empty."""
    rows = sum(len(kinds) for kinds in strategies.values())
    ranks = len(next(iter(next(iter(strategies.values())).values())))
    cell, first = 16, 118
    wide = parts * cell + 14
    told = "; ".join(
        f"{name}: " + ", ".join(f"{kind} {_shares(whole, parts)}" for kind, whole in kinds.items())
        for name, kinds in strategies.items()
    )
    alt = f"what each of {ranks} ranks holds. {told}"
    figure = Figure(first + ranks * wide + 6, 52 * len(strategies) + 24 * rows, alt)
    y = 0
    for name, kinds in strategies.items():
        _say(figure, LEFT, y + 18, name, 15, weight="bold")
        for rank in range(ranks):
            figure.text(first + rank * wide + parts * cell / 2, y + 38, f"rank {rank}", 13, "soft")
        for line, (kind, whole) in enumerate(kinds.items()):
            _say(figure, LEFT, y + 57 + 24 * line, kind, 13)
            for rank, mine in enumerate(whole):
                _strip(figure, first + rank * wide, y + 44 + 24 * line, mine, parts, cell)
        y += 52 + 24 * len(kinds)
    return figure


def products(ranks: int) -> Figure:
    """Draw two matrix products, the first cut by columns and the second by rows."""
    long = 24 * ranks
    alt = (
        f"x times A is h, h times B is z. A and h are cut by columns among {ranks} ranks, B by "
        "rows; so rank r needs of h only what it has made itself, and z is a sum over the ranks"
    )
    x1, x2 = LEFT + 78, LEFT + long + 118
    figure = Figure(x2 + 80, 2 * long + 110, alt)
    top, low = 30, long + 70
    _matrix(figure, LEFT, top, (64, long), "whole", ranks, "x")
    _matrix(figure, x1, top, (long, long), "columns", ranks, "A")
    figure.text(x1 + long + 20, top + long / 2 + 6, "=", 18)
    _matrix(figure, x2, top, (64, long), "columns", ranks, "h")
    _matrix(figure, LEFT, low, (64, long), "columns", ranks, "h")
    _matrix(figure, x1, low, (64, long), "rows", ranks, "B")
    figure.text(x1 + 84, low + long / 2 + 6, "=", 18)
    _matrix(figure, x1 + 104, low, (64, long), "whole", ranks, "z")
    _say(figure, LEFT, low + long + 26, "h: nothing is sent; z: one sum over the ranks", 14)
    return figure


def schedule(lines: Sequence[str]) -> Figure:
    """Draw when each rank did what, from lines such as "rank 0: F0@1 B0@5": kind, part, tick."""
    traces = {int(line.split()[1][:-1]): TICK.findall(line) for line in lines if TICK.search(line)}
    ticks = max(int(tick) for trace in traces.values() for *_, tick in trace)
    idle = sum(ticks - len(trace) for trace in traces.values())
    alt = (
        f"{len(traces)} stages, {ticks} ticks, of {ticks * len(traces)} places {idle} are empty: "
        + "; ".join(f"rank {rank} " + _spelled(trace) for rank, trace in traces.items())
    )
    cell, first = 20, 64
    figure = Figure(first + ticks * cell + LEFT, 62 + 32 * len(traces), alt)
    _say(figure, LEFT, 20, "F: forward, B: backward, of a micro-batch")
    for rank, trace in traces.items():
        y = 32 + 32 * rank
        _say(figure, LEFT, y + 19, f"rank {rank}", 14)
        for tick in range(ticks):
            figure.box(first + tick * cell, y, cell, 28, "empty")
        for kind, part, tick in trace:
            x = first + (int(tick) - 1) * cell
            figure.box(x, y, cell, 28, BITES[kind])
            figure.text(x + cell / 2, y + 19, f"{kind}{part}", 12)
    _say(figure, LEFT, 52 + 32 * len(traces), f"{ticks} ticks, {idle} places empty", 14)
    return figure


def hops(lines: Sequence[str]) -> Figure:
    """Draw which chunk each rank had in each hop, from lines such as "rank 1: met 1 0 3 2"."""
    met = [list(map(int, line.split("met ")[1].split())) for line in lines if "met " in line]
    told = "; ".join(f"rank {rank}: {' '.join(map(str, each))}" for rank, each in enumerate(met))
    cell, first = 44, 150
    alt = f"the chunks of keys and values that pass each rank, hop by hop. {told}"
    figure = Figure(first + len(met[0]) * cell + LEFT, 58 + 40 * len(met), alt)
    _say(figure, LEFT, 20, "keys and values that a rank has")
    for rank, each in enumerate(met):
        y = 54 + 40 * rank
        _say(figure, LEFT, y + 22, f"queries of rank {rank}", 14)
        for hop, chunk in enumerate(each):
            x = first + hop * cell
            figure.box(x, y, cell - 4, 34, COLOURS[chunk])
            figure.text(x + cell / 2 - 2, y + 22, chunk, 15)
            if rank == 0:
                figure.text(x + cell / 2 - 2, 44, f"hop {hop}" if hop else "own", 13, "soft")
    return figure


def mesh(shape: tuple[int, int, int], names: tuple[str, str, str]) -> Figure:
    """Draw ranks in a grid of copies, stages and shares of a matrix: data, pipeline, tensor."""
    copies, stages, shares = shape
    cell = 58
    wide = shares * cell + 20
    alt = (
        f"{copies * stages * shares} ranks: {copies} copies of the model, each of {stages} stages, "
        f"each stage among {shares} ranks; neighbours in number share a stage"
    )
    figure = Figure(104 + copies * (wide + 16), 44 + stages * 76, alt)
    for copy in range(copies):
        left = 96 + copy * (wide + 16)
        figure.text(left + wide / 2, 20, f"{names[0]} {copy}", 14)
        for stage in range(stages):
            y = 34 + stage * 76
            if copy == 0:
                _say(figure, LEFT, y + 36, f"{names[1]} {stage}", 14)
            figure.box(left, y, wide, 62, "empty")
            for share in range(shares):
                x = left + 10 + share * cell
                rank = (copy * stages + stage) * shares + share
                figure.box(x + 3, y + 8, cell - 6, 46, COLOURS[share])
                figure.text(x + cell / 2, y + 27, f"rank {rank}", 13)
                figure.text(x + cell / 2, y + 45, f"{names[2]} {share}", 13)
    return figure


def _strip(figure: Figure, x: float, y: float, mine: set[int], parts: int, cell: float) -> None:
    for part in range(parts):
        has = part in mine
        figure.box(x + part * cell, y, cell, 18, COLOURS[part % 6] if has else "empty")
        if has:
            figure.text(x + (part + 0.5) * cell, y + 14, part, 13)


def _matrix(
    figure: Figure,
    x: float,
    y: float,
    size: tuple[float, float],
    cut: str,
    ranks: int,
    name: str,
) -> None:
    """Draw a matrix, whole or in stripes that carry their rank's number."""
    wide, high = size
    figure.text(x + wide / 2, y - 8, name, 16)
    if cut == "whole":
        figure.box(x, y, wide, high, "empty")
        return
    for rank in range(ranks):
        corner = (x + rank * wide / ranks, y) if cut == "columns" else (x, y + rank * high / ranks)
        stripe = (wide / ranks, high) if cut == "columns" else (wide, high / ranks)
        figure.box(*corner, *stripe, COLOURS[rank % 6])
        figure.text(corner[0] + stripe[0] / 2, corner[1] + stripe[1] / 2 + 5, rank, 13)


def _shares(whole: Sequence[set[int]], parts: int) -> str:
    return "whole" if all(len(mine) == parts for mine in whole) else "cut"


def _spelled(trace: Sequence[tuple[str, str, str]]) -> str:
    return " ".join(f"{kind}{part} at {tick}" for kind, part, tick in trace)


def _say(
    figure: Figure, x: float, y: float, words: str, size: float = 15, weight: str = "normal"
) -> None:
    figure.text(x, y, words, size, anchor="start", weight=weight)
