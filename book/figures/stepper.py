"""The autograd stepper of chapter 4: a recorded formula as a graph in frames, and bytes over time.

`Walk` draws one recording of lessons/recording.py; player.js shows its frames. `Stepper` puts
several into a page, where `_static/autograd_stepper.js` chooses among them. Without the script, and
on paper, the last frame of the first is seen.
"""

from collections.abc import Callable, Iterator, Mapping
from html import escape
from math import atan2, cos, sin
from typing import Any

from figures.player import Player, stretches
from figures.svg import colour
from lessons.recording import Place, Recording, shown

LINE = 18  # from one line of words to the next
GAP, BETWEEN = 16, 52  # between boxes side by side; between rows, where gradients are written
SPREAD = 44  # between two arrows at one box
BARS = 78  # how high the bars of memory are
MOST = 3  # rows and columns of a tensor that are written
Point = tuple[float, float]


class Walk(Player):
    """A recording as a graph, the result at the top, and below it the memory over time."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.boxes = [
            _Box(place, [frame.total.get(number) for frame in recording.frames])
            for number, place in enumerate(recording.places)
        ]
        self.rows = _rows(recording.places)
        self._stand()
        says = [frame.says for frame in recording.frames]
        counted = recording.frames[-1].saved is not None
        height = self.bottom + (BARS + 78 if counted else 0)
        alt = f"what norch records of {recording.text}, and the gradients on their way back"
        super().__init__(self.across, height, alt, says)
        for number, place in enumerate(recording.places):
            for slot, to in enumerate(place.edges):
                if to is not None:
                    self._edge(number, slot, to)
        for number in range(len(self.boxes)):
            self._box(number)
        for draw in self.labels:
            draw()
        if counted:
            self._memory(self.bottom + 20)

    def text(self, x: float, y: float, words: object, **more: str) -> None:
        """Write words. There are many, so the drawing says once how they look."""
        weight = more.get("weight")
        given = {
            "font-weight": None if weight == "normal" else weight,
            "text-anchor": more.get("anchor"),
        }
        extra = "".join(f' {name}="{value}"' for name, value in given.items() if value)
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{extra}>{escape(str(words))}</text>')

    def svg(self) -> str:
        """Return the drawing as SVG text."""
        look = f"fill:{colour('ink')};font-family:sans-serif;font-size:14px;text-anchor:middle"
        head, parts = "</title>\n", super().svg()
        return parts.replace(head, f'{head}<g style="{look}">\n', 1).replace("</svg>", "</g></svg>")

    def _stand(self) -> None:
        """Give every box, and every bend of a long arrow, its place."""
        self.labels: list[Callable[[], None]] = []
        self.at: dict[object, Point] = {}  # the middle of the upper side
        wide = [sum(self._wide(one) + GAP for one in row) + GAP for row in self.rows]
        self.across = max(330, *wide)
        y = 6.0
        for row, taken in zip(self.rows, wide, strict=True):
            room = (self.across - taken) / len(row)
            x = GAP + 0.0
            for one in row:
                x += self._wide(one) + room
                self.at[one] = x - (self._wide(one) + room) / 2, y
                x += GAP
            y += max(self._high(one) for one in row) + BETWEEN
        self.bottom = y - BETWEEN + 6

    def _wide(self, one: object) -> float:
        return self.boxes[one].wide if isinstance(one, int) else 24

    def _high(self, one: object) -> float:
        return self.boxes[one].high if isinstance(one, int) else 0

    def _edge(self, start: int, slot: int, end: int) -> None:
        """Draw the arrow on which a gradient goes from a node to what it was made from."""
        places, frames = self.recording.places, self.recording.frames
        leaving = [k for k, to in enumerate(places[start].edges) if to is not None]
        arriving = sorted(
            (self.at[k][0], k, j)
            for k, place in enumerate(places)
            for j, to in enumerate(place.edges)
            if to == end
        )
        numbers = [(k, j) for _, k, j in arriving]
        x, y = self.at[start]
        turns = [(x + _aside(leaving.index(slot), len(leaving)), y + self.boxes[start].high)]
        for bend in _bends(places, start, slot):  # down along the boxes of the row that it passes
            (row,) = [one for one in self.rows if bend in one]
            x, y = self.at[bend]
            turns += [(x, y), (x, y + max(map(self._high, row)))]
        x, y = self.at[end]
        turns.append((x + _aside(numbers.index((start, slot)), len(numbers)), y))
        states, passed = [], []
        for frame in frames:
            now = [part for k, to, part in frame.sent if frame.running == start and k == slot]
            passed = [*passed, *map(_short, now)]
            made = frame.made >= self.recording.places[start].made
            state = "now" if now else "done" if passed else "idle" if made else ""
            states.append((state, ", then ".join(passed)))
        for (state, words), first, last in stretches(states):
            if state:
                with self.during(first, last):
                    self._line(turns, state)
            if words:
                self.labels.append(self._label(turns, words, first, last))

    def _label(self, turns: list[Point], words: str, first: int, last: int) -> Callable[[], None]:
        (x0, y0), (x1, y1) = turns[:2]
        y1 = min(y1, y0 + BETWEEN)

        def draw() -> None:
            with self.during(first, last):
                x = (x0 + x1) / 2 if len(turns) == 2 else x0
                style = "paint-order:stroke;stroke-width:6px;stroke:var(--explorer-panel, #f6f8fb)"
                self.parts.append(f'<g style="{style}">')
                self.text(x, (y0 + y1) / 2 + 5, words, weight="bold")
                self.parts.append("</g>")

        return draw

    def _line(self, turns: list[Point], state: str) -> None:
        if state == "idle":
            self.line(turns, "soft", 1.2, dashed=True)
            return
        (x0, y0), (x1, y1) = turns[-2:]
        turn = atan2(y1 - y0, x1 - x0)
        left, right = ((x1 - 9 * cos(turn + d), y1 - 9 * sin(turn + d)) for d in (0.45, -0.45))
        self.line([*turns, left, (x1, y1), right], "ink", 3.2 if state == "now" else 1.6)

    def _box(self, number: int) -> None:
        """Draw a place as it is in each frame."""
        box, frames = self.boxes[number], self.recording.frames
        x, y = self.at[number]
        fills = []
        for frame in frames:
            is_made = frame.made >= box.place.made
            fill = "c0" if box.place.kind == "leaf" else "c2" if number in frame.ran else "empty"
            fills.append(("c1" if frame.running == number else fill) if is_made else "")
        for fill, first, last in stretches(fills):
            with self.during(first, last):
                self.box(x - box.wide / 2, y, box.wide, box.high, fill or "none")
        made = [frame.made >= box.place.made for frame in frames]
        self.text(x, y + LINE, box.head, weight="bold")
        with self.during(made.index(True)):
            for line, words in enumerate([box.what, *box.value], start=2):
                self.text(x, y + line * LINE, words)
        totals = [frame.total.get(number) for frame in frames]
        for total, first, last in stretches(totals):
            with self.during(max(first, made.index(True)), last):
                lines = ["no grad yet"] if total is None else _lines("grad", total)
                weight = "normal" if total is None else "bold"
                for line, words in enumerate(lines, start=2 + len(box.value) + 1):
                    self.text(x, y + line * LINE, words, weight=weight)

    def _memory(self, top: float) -> None:
        """Draw the bytes after each frame: what is kept, and on it the gradients; mark the frame."""
        frames = self.recording.frames
        most = max(1, *((frame.saved or 0) + frame.gradients for frame in frames))
        room, base = self.across - 2 * GAP, top + 48 + BARS
        wide, scale = min(room / len(frames), 40), BARS / most
        self.text(GAP, top + 14, "bytes that are alive, over time", anchor="start", weight="bold")
        self.line([(GAP, base), (self.across - GAP, base)], "line", 1)
        for number, frame in enumerate(frames):
            x, saved = GAP + number * wide, (frame.saved or 0) * scale
            for fill, high, low in (("c3", saved, 0), ("c5", frame.gradients * scale, saved)):
                if high:
                    self.box(x + 2, base - low - high, wide - 4, high, fill)
            with self.during(number, number):
                self.line([(x + 2, base + 6), (x + wide - 2, base + 6)], "ink", 6)
                self._key(GAP, top + 24, "c3", f"kept for the way back: {frame.saved or 0}")
                self._key(GAP + 190, top + 24, "c5", f"gradients: {frame.gradients}")


    def _key(self, x: float, y: float, fill: str, words: str) -> None:
        """Say what a colour of the bars is, and how many bytes."""
        self.box(x, y, 12, 12, fill)
        self.text(x + 18, y + 11, words, anchor="start")


class Stepper:
    """Prepared walks of formulas, one seen at a time; `labels` are their names in the menu."""

    def __init__(self, recordings: Mapping[str, Recording]) -> None:
        self.recordings = dict(recordings)

    def _repr_html_(self) -> str:
        first, *rest = (
            f'<template data-label="{escape(label)}" data-formula="{escape(one.text)}">'
            f"{Walk(one)._repr_html_()}</template>"
            for label, one in self.recordings.items()
        )
        seen = first.replace("<template", '<div class="walk"', 1).replace("</template>", "</div>")
        walks = "\n".join([seen, *rest])
        return f'<autograd-stepper class="autograd-stepper">\n{walks}\n</autograd-stepper>'

    def __repr__(self) -> str:
        ends = {label: one.frames[-1].says for label, one in self.recordings.items()}
        return "\n".join(f"{label}: {end}" for label, end in ends.items())


class _Box:
    """The words of a place, and how much room they take."""

    def __init__(self, place: Place, totals: list[Any]) -> None:
        self.place = place
        self.head = f"{place.name} = {place.text}" if place.text else place.name
        self.what = f"{place.kind} {place.shape}" if place.shape else place.kind
        self.value = [] if place.shape is None else _lines("value", place.value)
        grads = [_lines("grad", total) for total in totals if total is not None]
        words = [self.what, *self.value, "no grad yet", *(line for one in grads for line in one)]
        self.wide = 14 + max(96, 8.4 * len(self.head), 7.4 * max(map(len, words)))
        self.high = 10 + LINE * (2 + len(self.value) + max([1, *map(len, grads)]))


def _rows(places: list[Place]) -> list[list[object]]:
    """Return what stands in each row, the result's row first: places, and bends of long arrows."""
    level = _levels(places)
    rows: list[list[object]] = [[] for _ in range(max(level) + 1)]

    def visit(number: int) -> None:
        rows[level[-1] - level[number]].append(number)
        for slot, to in enumerate(places[number].edges):
            for bend in [] if to is None else _bends(places, number, slot):
                rows[level[-1] - bend[-1]].append(bend)
            if to is not None and not any(to in row for row in rows):
                visit(to)

    visit(len(places) - 1)
    return rows


def _levels(places: list[Place]) -> list[int]:
    """Return how high each place stands: a node above all it was made from, a leaf just below."""
    level = [0] * len(places)
    for number, place in enumerate(places):  # leaves first, then nodes as they were made
        level[number] = max((1 + level[to] for to in place.edges if to is not None), default=0)
    for number, place in enumerate(places):
        users = [k for k, one in enumerate(places) if number in one.edges]
        if place.kind == "leaf":
            level[number] = min(level[k] for k in users) - 1
    return level


def _bends(places: list[Place], start: int, slot: int) -> list[tuple[int, int, int]]:
    """Return the bends of an arrow that passes by rows: its node, its slot and the row's height."""
    level, to = _levels(places), places[start].edges[slot]
    between = range(level[start] - 1, level[to], -1)
    return [(start, slot, height) for height in between]


def _aside(number: int, count: int) -> float:
    """Return how far from the middle one of several arrows begins or ends."""
    return (number - (count - 1) / 2) * SPREAD


def _lines(name: str, value: Any) -> list[str]:
    """Write a number or a tensor, a line for each row; what is too much is left out.

    >>> _lines("grad", [[1.0, 2.0], [0.5, 3.0]])
    ['grad 1, 2', '0.5, 3']
    """
    rows = value if isinstance(value, list) and isinstance(value[0], list) else [value]
    words = [_row(row) for row in rows[:MOST]] + ["..."] * (len(rows) > MOST)
    return [f"{name} {words[0]}", *words[1:]]


def _row(row: Any) -> str:
    if not isinstance(row, list):
        return shown(row)
    if isinstance(row[0], list):
        return "..."
    return ", ".join([*map(shown, row[:MOST]), *["..."] * (len(row) > MOST)])


def _short(part: Any) -> str:
    """Write a gradient on its arrow: a number, or a shape."""
    return str(tuple(_size(part))) if isinstance(part, list) else shown(part)


def _size(part: Any) -> Iterator[int]:
    while isinstance(part, list):
        yield len(part)
        part = part[0]
