"""The pictures of chapter 6: ranks, what they hold, and what travels between them and when.

Every function takes plain numbers and returns a `Figure`. A rank keeps its colour in all pictures.
"""

import re
from collections.abc import Sequence

from figures.player import Player, stretches
from figures.svg import Figure

CELL = 38
LEFT = 14
LANE = 88


def joined_batch(gradients: Sequence[float], ranks: int) -> Figure:
    """Draw the gradient of each example, the mean of each rank's share, and the mean of those."""
    share = len(gradients) // ranks
    parts = [gradients[r * share : (r + 1) * share] for r in range(ranks)]
    means = [sum(part) / share for part in parts]
    whole = sum(means) / ranks
    alt = (
        f"{len(gradients)} examples with gradients {_listed(gradients)}, {share} for each of "
        f"{ranks} ranks: the means of the ranks are {_listed(means)}, and their mean is {whole:g}"
    )
    cell = 46
    figure = Figure(len(gradients) * cell + 2 * LEFT, 216, alt)
    _start(figure, LEFT, 20, "one gradient for each example")
    _start(figure, LEFT, 92, "each rank: the mean of its share")
    _start(figure, LEFT, 164, "the mean of the means")
    for i, gradient in enumerate(gradients):
        _cell(figure, LEFT + i * cell, 28, cell, f"{gradient:g}", _colour(i // share))
    for rank, mean in enumerate(means):
        width = share * cell
        _cell(figure, LEFT + rank * width, 100, width, f"{mean:g}", _colour(rank))
    _cell(figure, LEFT, 172, len(gradients) * cell, f"{whole:g}", "c2")
    return figure


def dealt(shares: Sequence[Sequence[int]], length: int) -> Figure:
    """Draw a deck of `length` examples and each rank's share; repeated ones are framed."""
    rows = "; ".join(f"rank {rank}: {_listed(share)}" for rank, share in enumerate(shares))
    alt = f"a deck of {length} examples dealt to {len(shares)} ranks. {rows}"
    below = 100
    figure = Figure(max(length, 8) * CELL + 2 * LEFT, below + len(shares) * (CELL + 8), alt)
    _start(figure, LEFT, 20, "the deck")
    for i in range(length):
        _cell(figure, LEFT + i * CELL, 30, CELL, str(i), _colour(i % len(shares)))
    seen: set[int] = set()
    places = [(turn, r) for turn in range(max(map(len, shares))) for r in range(len(shares))]
    for turn, rank in places:
        y = below + rank * (CELL + 8)
        if turn == 0:
            _start(figure, LEFT, y + 25, f"rank {rank}")
        if turn < len(shares[rank]):
            card = shares[rank][turn]
            x = LEFT + 64 + turn * CELL
            _cell(figure, x, y, CELL, str(card), _colour(rank), framed=card in seen)
            seen.add(card)
    return figure


def ring(size: int) -> Figure:
    """Draw every step of a ring all-reduce: whose numbers each chunk of each rank holds.

    Step by step a chunk moves one rank on; what has just arrived is framed.
    """
    states = _ring_states(size)
    wide, high = 30 + size * CELL, size * CELL + 48
    alt = (
        f"a ring of {size} ranks with {size} chunks each: in {size - 1} steps each chunk collects "
        f"the numbers of all ranks, in {size - 1} more the complete chunks go round"
    )
    figure = Figure(2 * wide + 3 * LEFT, size * high, alt)
    for step, (holders, arrived) in enumerate(states):
        column, row = (0, step) if step < size else (1, step - size + 1)
        x, y = LEFT + column * (wide + LEFT), row * high
        name = "start" if step == 0 else f"step {step}: {'add' if step < size else 'keep'}"
        _start(figure, x, y + 24, name)
        for rank in range(size):
            figure.text(x + 12, y + 56 + rank * CELL, rank, 14, "soft")
            for chunk in range(size):
                who = "".join(map(str, sorted(holders[rank][chunk])))
                fill = "c2" if len(who) == size else "c0" if len(who) > 1 else "empty"
                framed = (rank, chunk) in arrived
                corner = (x + 26 + chunk * CELL, y + 32 + rank * CELL)
                _cell(figure, *corner, CELL, who, fill, framed, small=True)
    _legend(figure, wide + 2 * LEFT, size)
    return figure


def ring_run(lines: Sequence[str]) -> Player:
    """Draw a ring of four that has run, a frame for each step.

    The lines say what each rank held before the first step and after each, a number a chunk, such
    as "rank 1: 0010 0010 | 0010 0011": the digits of a number say, from the right, whose are in it.
    """
    held = [
        [re.findall(r"\d+", part) for part in line.split(": ")[1].split(" | ")] for line in lines
    ]
    size, steps = len(held), len(held[0])
    says = [f"start: each of {size} ranks has its own numbers"]
    for step in range(1, steps):
        what = "adds what arrives" if step < size else "keeps what arrives"
        says.append(f"step {step}: each rank passes one chunk to the right, and {what}")
    ends = "; ".join(f"rank {rank} has {' '.join(states[-1])}" for rank, states in enumerate(held))
    figure = Player(470, 216, f"a ring of {size} ranks after {steps - 1} steps: {ends}", says)
    corners = [(40, 44), (290, 44), (290, 146), (40, 146)]
    for rank, (x, y) in enumerate(corners):
        _start(figure, x, y - 8, f"rank {rank}", 14)
        for chunk in range(size):
            for who, first, last in stretches([states[chunk] for states in held[rank]]):
                found = "".join(str(r) for r, digit in enumerate(reversed(who)) if digit == "1")
                fill = "c2" if len(found) == size else "c0" if len(found) > 1 else "empty"
                with figure.during(first, last):
                    _cell(figure, x + chunk * 35, y, 35, found, fill, small=True)
                if first:
                    with figure.during(first, first):
                        figure.box(x + chunk * 35 + 2, y + 2, 31, CELL - 4, "none", "ink")
                        _message(figure, rank, chunk)
    return figure


def _message(figure: Figure, rank: int, chunk: int) -> None:
    """Draw the arrow on which a chunk has come to a rank of the ring of four."""
    ends = [((28, 146), (28, 82)), ((186, 63), (284, 63)), ((442, 82), (442, 146))]
    (x0, y0), (x1, y1) = [*ends, ((284, 165), (186, 165))][rank]
    figure.arrow(x0, y0, x1, y1)
    beside = (0, -6) if y0 == y1 else (-14 if rank == 0 else 14, 5)
    figure.text((x0 + x1) / 2 + beside[0], (y0 + y1) / 2 + beside[1], chunk, 14)


def timeline(
    backward: Sequence[tuple[str, float]], buckets: Sequence[Sequence[str]], sending: float
) -> Figure:
    """Draw when gradients get ready and messages travel: one message at the end, and buckets.

    `backward` has the layers in the order of backward, with their time; a message takes `sending`
    for each layer in it.
    """
    alone = _messages(backward, [[name for name, _ in backward]], sending)
    packed = _messages(backward, buckets, sending)
    unit = 300 / alone[-1][1]
    alt = (
        f"backward takes {sum(time for _, time in backward):g} units. With one message at the end "
        f"all is over after {alone[-1][1]:g}, with {len(buckets)} buckets after {packed[-1][1]:g}"
    )
    figure = Figure(LANE + 300 + LEFT, 262, alt)
    panels = [("one message at the end", alone), (f"{len(buckets)} buckets", packed)]
    for panel, (name, messages) in enumerate(panels):
        y = panel * 130
        _start(figure, LEFT, y + 22, f"{name}: over after {messages[-1][1]:g}")
        _lane(figure, "backward", y + 32, unit, _spans(backward), "c0")
        shown = [(start, stop, str(i)) for i, (start, stop) in enumerate(messages)]
        _lane(figure, "messages", y + 74, unit, shown, "c1")
    return figure


def order(lines: Sequence[str]) -> Figure:
    """Draw one rank's events in their order, and each message from its sending to the end.

    The lines say "rank 0: a is ready" and "rank 0: sends ['a', 'b']".
    """
    events = [line.split(": ", 1)[1].strip() for line in lines]
    ready = [
        (at, one.removesuffix(" is ready"))
        for at, one in enumerate(events)
        if one.endswith(" is ready")
    ]
    sends = [
        (at, re.findall(r"'(.+?)'", one))
        for at, one in enumerate(events)
        if one.startswith("sends ")
    ]
    alt = "; then ".join(events)
    step, high = 32, 24
    end = LEFT + step * len(events)
    rows = len(ready) + len(sends)
    figure = Figure(end + 128, 40 + high * rows, f"the order of events on one rank: {alt}")
    _start(figure, LEFT, 20, "from the first event to the last", 14)
    for row, (at, name) in enumerate(ready):
        figure.box(LEFT + at * step, 30 + row * high, step, high - 4, "c0")
        _start(figure, LEFT + (at + 1) * step + 6, 45 + row * high, f"{name} ready", 13)
    for row, (at, names) in enumerate(sends, len(ready)):
        figure.box(LEFT + at * step, 30 + row * high, end - LEFT - at * step, high - 4, "c1")
        _start(figure, end + 6, 45 + row * high, f"message of {len(names)}", 13)
    return figure


def traffic(counts: Sequence[tuple[int, float, float]]) -> Figure:
    """Draw bars: for each number of ranks, what the busiest rank sends with a root, in a ring."""
    largest = max(root for _, root, _ in counts)
    spoken = "; ".join(f"{n} ranks: {root:g} and {ring:g}" for n, root, ring in counts)
    alt = f"tensors that the busiest rank sends, with a root and in a ring. {spoken}"
    figure = Figure(360, len(counts) * 62 + 8, alt)
    for i, (n, root, around) in enumerate(counts):
        y = 8 + i * 62
        _start(figure, LEFT, y + 28, f"{n} ranks")
        for line, (value, name, fill) in enumerate([(root, "root", "c1"), (around, "ring", "c0")]):
            width = max(4, value / largest * 150)
            figure.box(90, y + line * 24, width, 20, fill)
            _start(figure, 98 + width, y + line * 24 + 15, f"{name} {value:g}", 14)
    return figure


def _ring_states(size: int) -> list[tuple[list[list[set[int]]], set[tuple[int, int]]]]:
    """Return after each step who is in each chunk of each rank, and which chunks arrived."""
    held = [[{rank} for _ in range(size)] for rank in range(size)]
    states = [(held, set())]
    for step in range(2 * (size - 1)):
        adding = step < size - 1
        fresh = [list(chunks) for chunks in held]
        arrived = set()
        for left in range(size):
            rank, chunk = (left + 1) % size, (left - step) % size
            fresh[rank][chunk] = held[left][chunk] | (held[rank][chunk] if adding else set())
            arrived.add((rank, chunk))
        held = fresh
        states.append((held, arrived))
    return states


def _legend(figure: Figure, x: float, size: int) -> None:
    rows = [("empty", "one rank's numbers"), ("c0", "added up so far"), ("c2", "all ranks added")]
    _start(figure, x, 24, "row: rank, column: chunk", 14)
    for line, (fill, words) in enumerate(rows):
        figure.box(x, 44 + 30 * line, 20, 20, fill)
        _start(figure, x + 28, 59 + 30 * line, words, 14)
    figure.box(x, 134, 20, 20, "empty", "ink")
    figure.box(x + 1, 135, 18, 18, "empty", "ink")
    _start(figure, x + 28, 149, "has just arrived", 14)


def _messages(
    backward: Sequence[tuple[str, float]], buckets: Sequence[Sequence[str]], sending: float
) -> list[tuple[float, float]]:
    """Return when each message begins and ends: after its last gradient, one after the other."""
    ready = {name: stop for _, stop, name in _spans(backward)}
    messages: list[tuple[float, float]] = []
    for bucket in buckets:
        free = messages[-1][1] if messages else 0
        start = max(free, *(ready[name] for name in bucket))
        messages.append((start, start + sending * len(bucket)))
    return messages


def _spans(backward: Sequence[tuple[str, float]]) -> list[tuple[float, float, str]]:
    now, spans = 0.0, []
    for name, time in backward:
        spans.append((now, now + time, name))
        now += time
    return spans


def _lane(
    figure: Figure,
    title: str,
    y: float,
    unit: float,
    spans: Sequence[tuple[float, float, str]],
    fill: str,
) -> None:
    _start(figure, LEFT, y + 22, title, 14)
    for start, stop, name in spans:
        figure.box(LANE + start * unit, y, (stop - start) * unit, 34, fill)
        figure.text(LANE + (start + stop) / 2 * unit, y + 22, name, 13)


def _cell(
    figure: Figure,
    x: float,
    y: float,
    width: float,
    words: str,
    fill: str,
    framed: bool = False,
    small: bool = False,
) -> None:
    figure.box(x, y, width, CELL, fill)
    if framed:
        for inset in (2, 3):
            figure.box(x + inset, y + inset, width - 2 * inset, CELL - 2 * inset, fill, "ink")
    figure.text(x + width / 2, y + CELL / 2 + 5, words, 13 if small else 16)


def _colour(rank: int) -> str:
    return ("c0", "c1", "c3", "c4", "c5", "c2")[rank % 6]


def _start(figure: Figure, x: float, y: float, words: str, size: float = 15) -> None:
    figure.text(x, y, words, size, anchor="start")


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
