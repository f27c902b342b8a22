"""The autograd stepper of chapter 4: a recorded formula as a graph in frames, and bytes over time.

`Walk` draws one recording of lessons/walk_record.py; player.js shows its frames. `Stepper` puts
several into a page, where `_static/autograd_stepper.js` chooses among them. Without the script, and
on paper, the last frame of the first is seen.
"""

from collections.abc import Mapping
from html import escape
from math import atan2, cos, sin

from lessons.frames import Frame, Recording

from figures.player import Player, stretches
from figures.svg import colour
from figures.walk_layout import BETWEEN, GAP, LINE, Layout, Point, lines, short

BARS = 78  # how high the bars of memory are
LOOK = f"fill:{colour('ink')};font-family:sans-serif;font-size:14px;text-anchor:middle"
AROUND = "paint-order:stroke;stroke-width:6px;stroke:var(--explorer-panel, #f6f8fb)"


class Walk(Player):
    """A recording as a graph, the result at the top, and below it the memory over time."""

    def __init__(self, recording: Recording) -> None:
        self.frames, self.places = recording.frames, recording.places
        self.layout = layout = Layout(recording)
        is_counted = self.frames[-1].saved is not None
        alt = f"what norch records of {recording.text}, and the gradients on their way back"
        height = layout.bottom + is_counted * (BARS + 78)
        super().__init__(layout.across, height, alt, list(map(_sentence, self.frames)))
        self.look = LOOK
        edges = [(k, j) for k, one in enumerate(self.places) for j in range(len(one.edges))]
        edges = [(k, j) for k, j in edges if self.places[k].edges[j] is not None]
        for start, slot in edges:
            self._arrow(start, slot)
        for number in range(len(self.places)):
            self._box(number)
            self._words(number)
        for start, slot in edges:
            self._parts(start, slot)
        if is_counted:
            self._memory(layout.bottom + 20)

    def _arrow(self, start: int, slot: int) -> None:
        """Draw the arrow on which a gradient goes, as it is in each frame."""
        states, has_passed = [], False
        for frame in self.frames:
            is_now = frame.running == start and any(one.slot == slot for one in frame.sent)
            has_passed = has_passed or is_now
            is_made = frame.made >= self.places[start].made
            states.append("now" if is_now else "done" if has_passed else "idle" if is_made else "")
        for state, first, last in stretches(states):
            if state:
                with self.during(first, last):
                    self._line(self.layout.arrow(start, slot), str(state))

    def _line(self, turns: list[Point], state: str) -> None:
        if state == "idle":
            self.line(turns, "soft", 1.2, dashed=True)
            return
        (x0, y0), (x1, y1) = turns[-2:]
        turn = atan2(y1 - y0, x1 - x0)
        left, right = ((x1 - 9 * cos(turn + d), y1 - 9 * sin(turn + d)) for d in (0.45, -0.45))
        self.line([*turns, left, (x1, y1), right], "ink", 3.2 if state == "now" else 1.6)

    def _parts(self, start: int, slot: int) -> None:
        """Write what has gone along an arrow beside it."""
        (x0, y0), (x1, y1) = self.layout.arrow(start, slot)[:2]
        x, y = (x0 + x1) / 2, (y0 + min(y1, y0 + BETWEEN)) / 2 + 5
        passed, states = [], []
        for frame in self.frames:
            if frame.running == start:
                passed += [short(one.part) for one in frame.sent if one.slot == slot]
            states.append(", then ".join(passed))
        for words, first, last in stretches(states):
            if words:
                with self.during(first, last):
                    self.parts.append(f'<g style="{AROUND}">')
                    self.write(x, y, words, weight="bold")
                    self.parts.append("</g>")

    def _box(self, number: int) -> None:
        """Draw a place in its colour in each frame; before it is made it has none."""
        box, (x, y) = self.layout.boxes[number], self.layout.at[number]
        fills = []
        for frame in self.frames:
            fill = "c0" if box.place.kind == "leaf" else "c2" if number in frame.ran else "empty"
            is_made = frame.made >= box.place.made
            fills.append("none" if not is_made else "c1" if frame.running == number else fill)
        for fill, first, last in stretches(fills):
            with self.during(first, last):
                self.box(x - box.wide / 2, y, box.wide, box.high, str(fill))

    def _words(self, number: int) -> None:
        """Write what a place is, its value, and its gradient so far."""
        box, (x, y) = self.layout.boxes[number], self.layout.at[number]
        born = next(k for k, frame in enumerate(self.frames) if frame.made >= box.place.made)
        self.write(x, y + LINE, box.head, weight="bold")
        with self.during(born):
            for line, words in enumerate([box.what, *box.value], start=2):
                self.write(x, y + line * LINE, words)
        below = y + (3 + len(box.value)) * LINE
        for total, first, last in stretches([frame.total.get(number) for frame in self.frames]):
            with self.during(max(first, born), last):
                weight = "" if total is None else "bold"
                for line, words in enumerate(lines("grad", total)):
                    self.write(x, below + line * LINE, words, weight=weight)

    def _memory(self, top: float) -> None:
        """Draw the bytes after each frame: what is kept, gradients on it; mark the frame."""
        most = max(1, *(frame.saved + frame.gradients for frame in self.frames))
        wide, base = min((self.width - 2 * GAP) / len(self.frames), 40), top + 48 + BARS
        self.write(GAP, top + 14, "bytes that are alive, over time", anchor="start", weight="bold")
        self.line([(GAP, base), (self.width - GAP, base)], "line", 1)
        for number, frame in enumerate(self.frames):
            x, y = GAP + number * wide, base
            for fill, count in (("c3", frame.saved), ("c5", frame.gradients)):
                y -= count * BARS / most
                if count:
                    self.box(x + 2, y, wide - 4, count * BARS / most, fill)
            with self.during(number, number):
                self.line([(x + 2, base + 6), (x + wide - 2, base + 6)], "ink", 6)
                self._key(GAP, top + 24, "c3", f"kept for the way back: {frame.saved}")
                self._key(GAP + 190, top + 24, "c5", f"gradients: {frame.gradients}")

    def _key(self, x: float, y: float, fill: str, words: str) -> None:
        """Say what a colour of the bars is, and how many bytes."""
        self.box(x, y, 12, 12, fill)
        self.write(x + 18, y + 11, words, anchor="start")


def _sentence(frame: Frame) -> str:
    """Say all that is seen of a frame."""
    if frame.saved is None:
        return frame.says
    return f"{frame.says} Bytes alive: {frame.saved} kept, {frame.gradients} in gradients."


class Stepper:
    """Prepared walks of formulas, one seen at a time; their names are in the menu."""

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
        return f'<autograd-stepper class="norch-explorer">\n{walks}\n</autograd-stepper>'

    def __repr__(self) -> str:
        ends = {label: one.frames[-1].says for label, one in self.recordings.items()}
        return "\n".join(f"{label}: {end}" for label, end in ends.items())
