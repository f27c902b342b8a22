"""The heads of the trained GPT as a drawing, and as what a reader plays with in the page.

Called by chapter 7 with weights that norch computed. `_static/gpt_heads.js` makes of the second
what one types into; without it, and on paper, the drawing is seen. The words beside a drawing are
counted from the weights that it draws; no model runs here.
"""

from collections.abc import Sequence
from typing import NamedTuple

from figures.explorer import data_script
from figures.svg import Figure

from lessons.gpt.heads import PLACES
from lessons.gpt.model import WEIGHTS

CELL, TOP, LEFT = 13, 52, 20
FAINTEST = 0.04  # smaller weights are left out of a drawing
VISIBLE = {"\n": "↵", " ": "␣"}

Table = list[list[float]]  # row i: how much character i takes from each


class Head(NamedTuple):
    """A head to draw: where it is, counted from 1, and the place that it prefers."""

    layer: int
    head: int
    place: str


def triangles(text: str, looked: list[list[Table]], chosen: Sequence[Head]) -> Figure:
    """Draw heads side by side: a row for each character, dark where it takes much."""
    side = CELL * len(text)
    tables = [looked[one.layer - 1][one.head - 1] for one in chosen]
    told = "; ".join(_told(text, *one) for one in zip(tables, chosen, strict=True))
    alt = f"weights of a trained GPT on {' '.join(text.split())!r}: {told}"
    figure = Figure((LEFT + side + 24) * len(tables), TOP + side + 8, alt)
    for number, (table, one) in enumerate(zip(tables, chosen, strict=True)):
        left = (LEFT + side + 24) * number + LEFT
        title = f"layer {one.layer}, head {one.head}: {one.place}"
        figure.text(left, 16, title, 14, anchor="start")
        _letters(figure, left, text)
        _cells(figure, left, table)
    return figure


def _letters(figure: Figure, left: float, text: str) -> None:
    for place, letter in enumerate(VISIBLE.get(one, one) for one in text):
        figure.text(left + CELL * (place + 0.5), TOP - 6, letter, 12)
        figure.text(left - 9, TOP + CELL * (place + 0.8), letter, 12)


def _cells(figure: Figure, left: float, table: Table) -> None:
    for i, row in enumerate(table):
        figure.box(left, TOP + CELL * i, CELL * (i + 1), CELL, "empty", "empty")
        for j, weight in enumerate(row[: i + 1]):
            if weight >= FAINTEST:
                figure.pixel(left + CELL * j, TOP + CELL * i, CELL - 1, weight)


def _told(text: str, table: Table, head: Head) -> str:
    mark, most = PLACES[head.place], [row.index(max(row)) for row in table]
    places = [[j for j in range(i + 1) if mark(text, i, j)] for i in range(len(text))]
    found = sum(j in place for j, place in zip(most, places, strict=True))
    of = sum(map(bool, places))
    where = f"layer {head.layer}, head {head.head}"
    return f"in {where} {found} of {of} characters take most from the place {head.place!r}"


class GPTHeads:
    """The drawing, and what the page's script begins with: words, a sentence, the head chosen."""

    def __init__(
        self, drawing: Figure, habits: list[list[str]], sentence: str, chosen: Head
    ) -> None:
        self.drawing = drawing
        self.given = {
            "heads": habits,
            "kilobytes": round(4 / 3 * WEIGHTS.stat().st_size / 1000),  # in base64
            "sentence": sentence,
            "chosen": [chosen.layer - 1, chosen.head - 1],  # the script counts from 0
        }

    def _repr_html_(self) -> str:
        script = data_script(self.given)
        return f'<gpt-heads class="norch-figure">{script}\n{self.drawing.svg()}</gpt-heads>'

    def __repr__(self) -> str:
        return repr(self.drawing)
