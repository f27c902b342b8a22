"""Where everything stands in a recorded walk: boxes in rows, the result's row at the top.

figures/stepper.py draws with it. A node stands above all it was made from, a leaf just below its
user; an arrow that passes by a row has a bend there, so that it crosses no box. Nothing is drawn.
"""

from typing import Any

from lessons.frames import Place, Recording, shape_of, spelled

LINE = 18  # from one line of words to the next
GAP, BETWEEN = 16, 52  # between boxes side by side; between rows, where gradients are written
SPREAD = 44  # between two arrows at one box
NARROWEST = 330
MOST = 3  # rows and columns of a tensor that are written
Point = tuple[float, float]
Bend = tuple[int, int, int]  # of an arrow: its node, its slot and the row's height


class Box:
    """The words of a place, and how much room they take; `totals` are its gradients in time."""

    def __init__(self, place: Place, totals: list[Any]) -> None:
        self.place = place
        self.head = f"{place.name} = {place.text}" if place.text else place.name
        self.what = f"{place.kind} {place.shape}" if place.shape else place.kind
        self.value = [] if place.shape is None else lines("value", place.value)
        grads = [lines("grad", total) for total in totals]
        words = [self.what, *self.value, *(line for one in grads for line in one)]
        self.wide = 14 + max(96, 8.4 * len(self.head), 7.4 * max(map(len, words)))
        self.high = 10 + LINE * (2 + len(self.value) + max(map(len, grads)))


class Layout:
    """`at` has the middle of each box's upper side; the drawing ends at `across` and `bottom`."""

    def __init__(self, recording: Recording) -> None:
        self.places = recording.places
        self.boxes = [
            Box(place, [frame.total.get(number) for frame in recording.frames])
            for number, place in enumerate(self.places)
        ]
        self.levels = _levels(self.places)
        self.rows: list[list[int | Bend]] = [[] for _ in range(max(self.levels) + 1)]
        self._fill(len(self.places) - 1)
        self.at: dict[int | Bend, Point] = {}
        wide = [GAP + sum(self._wide(one) + GAP for one in row) for row in self.rows]
        self.across = max(NARROWEST, *wide)
        self.bottom = 6.0
        for row, taken in zip(self.rows, wide, strict=True):
            self._stand(row, (self.across - taken) / len(row))
            self.bottom += max(map(self._high, row)) + BETWEEN
        self.bottom -= BETWEEN - 6

    def _fill(self, number: int) -> None:
        """Put a place into its row, and all that it was made from into theirs, left to right."""
        self._row(number).append(number)
        for slot, to in enumerate(self.places[number].edges):
            for bend in self._bends(number, slot):
                self._row(bend).append(bend)
            if to is not None and to not in self._row(to):
                self._fill(to)

    def _row(self, one: int | Bend) -> list[int | Bend]:
        height = self.levels[one] if isinstance(one, int) else one[-1]
        return self.rows[len(self.rows) - 1 - height]

    def _bends(self, start: int, slot: int) -> list[Bend]:
        to = self.places[start].edges[slot]
        passed = () if to is None else range(self.levels[start] - 1, self.levels[to], -1)
        return [(start, slot, height) for height in passed]

    def _stand(self, row: list[int | Bend], room: float) -> None:
        """Give what is in a row its place; what room is left, all share."""
        x = GAP + room / 2
        for one in row:
            self.at[one] = x + self._wide(one) / 2, self.bottom
            x += self._wide(one) + GAP + room

    def _wide(self, one: int | Bend) -> float:
        return self.boxes[one].wide if isinstance(one, int) else 24

    def _high(self, one: int | Bend) -> float:
        return self.boxes[one].high if isinstance(one, int) else 0

    def arrow(self, start: int, slot: int) -> list[Point]:
        """Return the turns of the arrow from a node to what it was made from."""
        edges, end = self.places[start].edges, self.places[start].edges[slot]
        leaving = [(start, k) for k, to in enumerate(edges) if to is not None]
        every = ((k, j) for k, place in enumerate(self.places) for j in range(len(place.edges)))
        arriving = [(k, j) for k, j in every if self.places[k].edges[j] == end]
        arriving.sort(key=lambda one: (self.at[one[0]][0], *one))
        turns = [self._port(start, leaving.index((start, slot)), len(leaving), is_lower=True)]
        for bend in self._bends(start, slot):  # down along the boxes of the row that it passes
            x, y = self.at[bend]
            turns += [(x, y), (x, y + max(map(self._high, self._row(bend))))]
        return [*turns, self._port(end, arriving.index((start, slot)), len(arriving))]

    def _port(self, place: int, number: int, count: int, is_lower: bool = False) -> Point:
        """Return where one of several arrows begins at a box, or ends."""
        x, y = self.at[place]
        return x + (number - (count - 1) / 2) * SPREAD, y + is_lower * self.boxes[place].high


def _levels(places: list[Place]) -> list[int]:
    """Return how high each place stands."""
    found = [0] * len(places)
    for number, place in enumerate(places):  # leaves first, then nodes as they were made
        found[number] = max((1 + found[to] for to in place.edges if to is not None), default=0)
    for number, place in enumerate(places):
        if place.kind == "leaf":
            found[number] = min(found[k] for k, one in enumerate(places) if number in one.edges) - 1
    return found


def lines(name: str, value: Any) -> list[str]:
    """Write a number or a tensor, a line for each row; what is too much is left out.

    >>> lines("grad", [[1.0, 2.0], [0.5, 3.0]])
    ['grad 1, 2', '0.5, 3']
    """
    if value is None:
        return [f"no {name} yet"]
    rows = value if isinstance(value, list) and isinstance(value[0], list) else [value]
    words = [_row(row) for row in rows[:MOST]] + ["..."] * (len(rows) > MOST)
    return [f"{name} {words[0]}", *words[1:]]


def _row(row: Any) -> str:
    if not isinstance(row, list):
        return spelled(row)
    if isinstance(row[0], list):
        return "..."
    return ", ".join([*map(spelled, row[:MOST]), *["..."] * (len(row) > MOST)])


def short(part: Any) -> str:
    """Write a gradient on its arrow: a number, or a shape."""
    return str(shape_of(part)) if isinstance(part, list) else spelled(part)
