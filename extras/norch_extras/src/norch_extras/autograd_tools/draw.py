"""The record as a picture: `draw_graph(tensor)` is an SVG text, the same for the same graph.

Leaves stand at the top, the tensor at the bottom; an arrow runs the way the numbers went. A node's
row is one below the lowest of what it was fed from; an edge that passes a row bends through a free
place in it. Nothing here needs a drawing library.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from norch_autograd.engine.engine import plan
from norch_autograd.graph.node import Edge, Node
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.graph.views import edge_of
from norch_nn.serialization.files import replacing

LETTER, HEIGHT, GAP, ROW = 7.2, 28.0, 24.0, 64.0  # sizes in pixels
STYLE = (
    "text{font:12px monospace;text-anchor:middle;fill:#1f2430}"
    "rect{stroke:#5b6478;fill:#eef1f6}.leaf rect{fill:#dcefdc}.root rect{fill:#f6e6c8}"
    "path{fill:none;stroke:#5b6478}"
)


class Place:
    """A node's box in the drawing of a graph, or (without words) a bend of an edge."""

    def __init__(self, words: str, kind: str, row: int) -> None:
        self.words, self.kind, self.row = words, kind, row
        self.width = len(words) * LETTER + 16 if words else 8.0
        self.fed_from: list[Place] = []
        self.x = 0.0

    @property
    def y(self) -> float:
        """The height of a node's box, its middle, in the drawing of a graph, in pixels."""
        return 20 + HEIGHT / 2 + self.row * ROW


class Drawing(str):
    """A drawing of the recorded graph: an SVG text, which notebooks show as a picture."""

    def _repr_svg_(self) -> str:
        """Give a notebook the drawing of the recorded graph."""
        return str(self)

    def save(self, path: str | Path) -> None:
        """Write the drawing of the graph to a file."""
        with replacing(path) as file:
            file.write(self.encode())


def draw_graph(tensor: Tensor, params: Mapping[str, Tensor] | Any = None) -> Drawing:
    """The graph behind `tensor` as SVG; `params` gives leaves names, as `dict(named_parameters())`
    does.

    >>> x = norch.ones(2, requires_grad=True)
    >>> picture = norch.autograd.draw_graph((x * 2).sum(), {"x": x})
    >>> [words in picture for words in ("x (2,)", "MulBackward0", "SumBackward0")]
    [True, True, True]
    """
    root = edge_of(tensor)
    if root is None:
        raise RuntimeError("[draw_graph] the tensor does not require grad: there is no graph")
    names = {id(leaf): name for name, leaf in dict(params or {}).items()}
    rows = _in_rows(_place(root, names))
    _spread_out(rows)
    return Drawing(_svg(rows))


def _place(root: Edge, names: dict[int, str]) -> list[Place]:
    """A box for every node and leaf of the graph, oldest first, in the row where it belongs."""
    order, _ = plan([root])
    places: dict[Edge, Place] = {}
    if not order:
        places[root] = _leaf(root, names)
    for node in reversed(order):
        fed_from = []
        for edge in node.edges:
            if edge is not None:
                if edge not in places:
                    places[edge] = _leaf(edge, names)
                fed_from.append(places[edge])
        row = 1 + max((place.row for place in fed_from), default=-1)
        places[node] = Place(node.name(), "root" if node is root else "node", row)
        places[node].fed_from = fed_from
    for node in sorted(order, key=lambda node: -places[node].row):
        for edge in node.edges:
            if edge is not None and not isinstance(edge, Node):
                places[edge].row = places[node].row - 1  # just above its first use
    return list(places.values())


def _leaf(leaf: Any, names: dict[int, str]) -> Place:
    """The box of a leaf: its name, if it has one, and its shape."""
    shape = str(tuple(leaf.array.shape))
    return Place(f"{names.get(id(leaf), 'leaf')} {shape}", "leaf", 0)


def _in_rows(places: list[Place]) -> list[list[Place]]:
    """The boxes of the picture row by row, with bends where an edge passes a row."""
    rows: list[list[Place]] = [[] for _ in range(1 + max(place.row for place in places))]
    for place in places:
        rows[place.row].append(place)
    for place in places:
        for i, source in enumerate(place.fed_from):
            for row in range(source.row + 1, place.row):
                bend = Place("", "bend", row)
                bend.fed_from = [source]
                rows[row].append(bend)
                source = bend
            place.fed_from[i] = source
    return rows


def _spread_out(rows: list[list[Place]]) -> None:
    """Give every box its x: below the middle of what it is fed from, without overlaps."""
    for _ in range(4):
        for row in rows:
            for place in row:
                if place.fed_from:
                    place.x = sum(source.x for source in place.fed_from) / len(place.fed_from)
            _push_apart(row)
        for above, row in reversed(list(pairwise(rows))):
            for place in above:
                users = [user.x for user in row if place in user.fed_from]
                if users and not place.fed_from:
                    place.x = sum(users) / len(users)
            _push_apart(above)
    left = min(place.x - place.width / 2 for row in rows for place in row)
    for row in rows:
        for place in row:
            place.x += 20 - left


def _push_apart(row: list[Place]) -> None:
    """Move the boxes of a row to the right, where they overlap, and the row back to its middle."""
    row.sort(key=lambda place: place.x)  # stable: equals keep the order of their creation
    wanted = sum(place.x for place in row) / len(row) if row else 0.0
    for before, place in pairwise(row):
        place.x = max(place.x, before.x + (before.width + place.width) / 2 + GAP)
    shift = wanted - sum(place.x for place in row) / len(row) if row else 0.0
    for place in row:
        place.x += shift


def _svg(rows: list[list[Place]]) -> str:
    """The picture of the graph as SVG text."""
    places = [place for row in rows for place in row]
    width = max(place.x + place.width / 2 for place in places) + 20
    height = 40 + HEIGHT + (len(rows) - 1) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="autograd graph">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8"/></marker></defs>',
    ]
    parts += [_arrow(source, place) for place in places for source in place.fed_from]
    parts += [_box(place) for place in places if place.words]
    return "\n".join([*parts, "</svg>"])


def _arrow(source: Place, place: Place) -> str:
    """A curve from the lower edge of one box to the upper edge of another, as SVG."""
    start = source.y + (HEIGHT / 2 if source.words else 0)
    end = place.y - (HEIGHT / 2 if place.words else 0)
    middle = (start + end) / 2
    tip = ' marker-end="url(#tip)"' if place.words else ""
    return (
        f'<path d="M{source.x:.1f} {start:.1f}C{source.x:.1f} {middle:.1f} '
        f'{place.x:.1f} {middle:.1f} {place.x:.1f} {end:.1f}"{tip}/>'
    )


def _box(place: Place) -> str:
    """The box of a node with its words, as SVG."""
    from html import escape  # a millisecond that `import norch` need not spend

    left, top = place.x - place.width / 2, place.y - HEIGHT / 2
    return (
        f'<g class="{place.kind}"><rect x="{left:.1f}" y="{top:.1f}" width="{place.width:.1f}" '
        f'height="{HEIGHT:.0f}" rx="4"/><text x="{place.x:.1f}" y="{place.y + 4:.1f}">'
        f"{escape(place.words)}</text></g>"
    )
