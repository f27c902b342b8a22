"""The pictures of chapter 6, parts 2 and 3: which rank holds what of a model, and does what when.

Every function takes plain numbers, or lines that ranks have printed, and returns a `Figure`. Part r
has the colour and the number of rank r in all pictures.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from figures.player import Player, stretches
from figures.svg import Figure

LEFT = 14
COLOURS = ("c0", "c1", "c3", "c4", "c5", "c2")
BITES = {"F": ("c0", "c3"), "B": ("c1", "c4")}  # forward, backward; of a rank's model chunks
TICK = re.compile(r"([FB])(\d+)(?:\.(\d+))?@(\d+)")


def stacked(title: str, rows: Mapping[str, Mapping[str, float]], unit: str) -> Figure:
    """Draw a bar for each row, made of pieces laid end to end, and the sum behind it."""
    sums = {name: sum(pieces.values()) for name, pieces in rows.items()}
    told = "; ".join(
        f"{name}: " + ", ".join(f"{piece} {size:g}" for piece, size in pieces.items())
        for name, pieces in rows.items()
    )
    kinds = list(next(iter(rows.values())))
    first, column = (max(size, _wide(of)) for size, of in ((112, rows), (200, [*kinds, "  "])))
    high = 52 + 24 * -(-len(kinds) // 2) + 36 * len(rows)
    figure = Figure(first + 338, high, f"{title}, {unit}: {told}")
    _say(figure, LEFT, 20, f"{title} ({unit})")
    for number, kind in enumerate(kinds):
        x, y = LEFT + number % 2 * column, 36 + number // 2 * 24
        figure.box(x, y, 16, 16, COLOURS[number])
        _say(figure, x + 24, y + 13, kind, 14)
    top = 46 + 24 * -(-len(kinds) // 2)
    for line, (name, pieces) in enumerate(rows.items()):
        x, y = first, top + 36 * line
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


def schedule(lines: Sequence[str]) -> Player:
    """Draw when each rank did what, a frame for each tick, and what it kept for backward.

    The lines say kind, part and tick of each action, such as "rank 0: F0@1 B0@5"; where a rank has
    several model chunks, the chunk too: "F0.1@3".
    """
    traces = {int(line.split()[1][:-1]): _actions(line) for line in lines if TICK.search(line)}
    ticks = max(one.tick for trace in traces.values() for one in trace)
    idle = sum(ticks - len(trace) for trace in traces.values())
    told = "; ".join(f"rank {rank} " + _spelled(trace) for rank, trace in traces.items())
    slots = ticks * len(traces)
    alt = f"{len(traces)} stages, {ticks} ticks, of {slots} time slots {idle} are empty: "
    most = max(sum(one.kind == "F" for one in trace) for trace in traces.values())
    cell, first = 20, 70 + 11 * min(most, 8)
    says = ["before the first tick", *(_tick_says(traces, tick) for tick in range(1, ticks + 1))]
    figure = Player(first + ticks * cell + LEFT, 62 + 36 * len(traces), alt + told, says)
    _say(figure, LEFT, 20, "F: forward, B: backward, of a micro-batch; left: kept", 14)
    for rank, trace in traces.items():
        y = 32 + 36 * rank
        _say(figure, LEFT, y + 19, f"rank {rank}", 14)
        for tick in range(ticks):
            figure.box(first + tick * cell, y, cell, 28, "empty")
        for one in trace:
            x = first + (one.tick - 1) * cell
            with figure.during(one.tick):
                figure.box(x, y, cell, 28, BITES[one.kind][one.chunk])
                figure.text(x + cell / 2, y + 19, f"{one.kind}{one.part}", 12)
        _kept(figure, trace, 64, y)
    _say(figure, LEFT, 52 + 36 * len(traces), f"{ticks} ticks, {idle} time slots empty", 14)
    return figure


class Action(NamedTuple):
    """Forward or backward of a micro-batch, through a model chunk, at a tick."""

    kind: str
    part: int
    chunk: int
    tick: int


def _actions(line: str) -> list[Action]:
    return [
        Action(kind, int(part), int(chunk or 0), int(tick))
        for kind, part, chunk, tick in TICK.findall(line)
    ]


def _kept(figure: Player, trace: Sequence[Action], x: float, y: float) -> None:
    """Draw a small box for each micro-batch that a rank keeps, from its forward to its backward."""
    places: dict[tuple[int, int], int] = {}
    starts: dict[tuple[int, int], int] = {}
    most = 0
    for one in trace:
        key = one.part, one.chunk
        if one.kind == "F":
            starts[key] = one.tick
            places[key] = next(n for n in range(len(trace)) if n not in places.values())
        else:
            place = places.pop(key)
            with figure.during(starts[key], one.tick - 1):
                figure.box(x + 11 * (place % 8), y + 3 + 12 * (place // 8), 9, 10, "c2")
        most = max(most, len(places))
    with figure.during(len(figure.says) - 1):  # of all frames, what paper shows
        _say(figure, x, y + 19, f"most {most}", 13)


def _tick_says(traces: Mapping[int, Sequence[Action]], tick: int) -> str:
    acting = [
        f"rank {rank} {'forward' if one.kind == 'F' else 'backward'} {one.part}"
        for rank, trace in traces.items()
        for one in trace
        if one.tick == tick
    ]
    return f"tick {tick}: " + ", ".join(acting)


EVENTS = {
    "gather": "all-gather: every rank has all of weight {}",
    "forward": "layer {} has run forward, and the others' parts are dropped",
    "back": "layer {} has run backward: a whole gradient, of each rank's own samples",
    "scatter": "reduce-scatter: each rank keeps its part of mean gradient {}; weight {} is dropped",
}


def units(lines: Sequence[str]) -> Player:
    """Draw what each rank holds of each layer, a frame for each event of a step of ZeRO-3.

    Each rank's line lists its events, such as "rank 0: gather0 forward0 back0 scatter0".
    """
    told = [re.findall(r"([a-z]+)(\d+)", line.split(": ", 1)[1]) for line in lines]
    events = [(kind, int(layer)) for kind, layer in told[0]]
    layers, ranks, cell, first = 1 + max(layer for _, layer in events), len(told), 16, 104
    wide = ranks * cell + 14
    says = ["before: a quarter of each weight", *(EVENTS[k].format(n, n) for k, n in events)]
    alt = f"{ranks} ranks, {layers} layers, one step: " + " ".join(f"{k} {n}" for k, n in events)
    figure = Player(first + ranks * wide + 6, 32 + 48 * layers, alt, says)
    for rank in range(ranks):
        figure.text(first + rank * wide + ranks * cell / 2, 18, f"rank {rank}", 13, "soft")
        for layer in range(layers):
            x, y = first + rank * wide, 26 + 48 * layer
            for kind, top in (("weight", y), ("gradient", y + 22)):
                if rank == 0:
                    _say(figure, LEFT, top + 14, f"{kind} {layer}", 13)
                _states(figure, (x, top), _holding(events, kind, layer, rank, ranks), cell)
    return figure


def _holding(
    events: Sequence[tuple[str, int]], kind: str, layer: int, rank: int, parts: int
) -> list[set[int]]:
    """Return which parts of a layer's weight or gradient a rank has in each frame."""
    own, whole = {rank}, set(range(parts))
    after = {
        "weight": {"gather": whole, "forward": own, "scatter": own},
        "gradient": {"back": whole, "scatter": own},
    }[kind]
    states = [own if kind == "weight" else set()]
    for event, of in events:
        states.append(after.get(event, states[-1]) if of == layer else states[-1])
    return states


def _states(
    figure: Player, corner: tuple[float, float], states: Sequence[set[int]], cell: float
) -> None:
    """Draw a strip of four parts that come and go, frame by frame."""
    x, y = corner
    for part in range(4):
        figure.box(x + part * cell, y, cell, 18, "empty")
        for has, first, last in stretches([part in held for held in states]):
            if has:
                with figure.during(first, last):
                    figure.box(x + part * cell, y, cell, 18, COLOURS[part])
                    figure.text(x + (part + 0.5) * cell, y + 14, part, 13)


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


def _spelled(trace: Sequence[Action]) -> str:
    several = any(one.chunk for one in trace)
    return " ".join(
        f"{one.kind}{one.part}{f'.{one.chunk}' if several else ''} at {one.tick}" for one in trace
    )


def _wide(names: Iterable[str]) -> float:
    """Return where a column ends that has these names in letters of 14."""
    return LEFT + 10 + 7 * max(map(len, names))


def _say(
    figure: Figure, x: float, y: float, words: str, size: float = 15, weight: str = "normal"
) -> None:
    figure.text(x, y, words, size, anchor="start", weight=weight)
