"""The pictures of chapter 4: what a computation has recorded, and gradients on their way back.

They are drawn from the nodes themselves. Each function takes the output and a dict of names for the
tensors that are to be shown by name; it returns a `Figure`. Nothing here changes a record.
"""

from math import hypot, log10

from figures.svg import Figure, colour
from norch_autograd import Tensor, no_grad, ones_like
from norch_autograd.engine import engine
from norch_autograd.graph.node import Edge, Node

WIDE, HIGH = 74, 44  # a box
GAP, ROW = 34, 76  # between columns; from row to row
LEFT, TOP = 14, 46


def record(output: Tensor, names: dict[str, Tensor]) -> Figure:
    """Draw what `output` has recorded: leaves on the left, and the nodes made from them."""
    graph = _Graph(output, names)
    figure = Figure(graph.width, TOP + graph.height, f"the record: {graph.spelled()}")
    figure.text(LEFT, 20, "what was recorded", anchor="start")
    for start, end in graph.arrows():
        _arrow(figure, graph.right_of(start, 0), graph.left_of(end, 0))
    for place in graph.at:
        graph.box(figure, place, 0, "empty" if isinstance(place, Node) else "c0")
    return figure


def steps(output: Tensor, names: dict[str, Tensor]) -> Figure:
    """Draw the walk of the engine, one panel for each node that runs, newest first."""
    graph = _Graph(output, names)
    order, _ = engine.plan([output.node])
    panel = graph.height + TOP
    total: dict[Edge, Tensor] = {output.node: ones_like(output)}
    done: list[Edge] = []
    said: list[str] = []
    figure = Figure(graph.width, panel * len(order), "")
    for number, node in enumerate(order):
        with no_grad():
            parts = node.backward(total[node])
        sent = list(zip(_ends(node), [part for part in parts if part is not None], strict=True))
        for edge, part in sent:
            total[edge] = total[edge] + part if edge in total else part
        words = " and ".join(f"{part.item():g} to {graph.names[edge]}" for edge, part in sent)
        said.append(f"{graph.names[node]} runs and sends {words}")
        top = number * panel
        figure.text(LEFT, top + 20, f"{number + 1}. {said[-1]}", anchor="start")
        _panel(figure, graph, top, node, done, total)
        done.append(node)
    figure.alt = "gradients on their way back: " + "; ".join(said)
    return figure


def _panel(
    figure: Figure,
    graph: "_Graph",
    top: float,
    running: Edge,
    done: list[Edge],
    total: dict[Edge, Tensor],
) -> None:
    """Draw the record once: the running node, those that have run, and what has arrived so far."""
    for start, end in graph.arrows():
        ends = graph.left_of(end, top), graph.right_of(start, top)
        _arrow(figure, *ends, thick=end is running, dashed=end is not running)
    for place in graph.at:
        fill = "c1" if place is running else "c2" if place in done else "empty"
        graph.box(figure, place, top, fill)
        if place in total:
            x, y = graph.at[place]
            words = f"gradient {total[place].item():g}"
            figure.text(x + WIDE / 2, top + y + HIGH + 17, words, 14)


class _Graph:
    """Where everything stands: the column is the distance from the leaves."""

    def __init__(self, output: Tensor, names: dict[str, Tensor]) -> None:
        self.names: dict[Edge, str] = {t.node or t: name for name, t in names.items()}
        order, _ = engine.plan([output.node])
        self.nodes = order[::-1]
        columns = self._columns()
        self.at: dict[Edge, tuple[float, float]] = {}
        rows = max(map(len, columns))
        for k, places in enumerate(columns):
            for i, place in enumerate(places):
                y = TOP - 10 + (i + (rows - len(places)) / 2) * ROW
                self.at[place] = (LEFT + k * (WIDE + GAP), y)
        self.width = max(len(columns) * (WIDE + GAP) - GAP + 2 * LEFT, 340)
        self.height = rows * ROW

    def _columns(self) -> list[list[Edge]]:
        """List the places column by column; a leaf stands just before its first user."""
        depth: dict[Edge, int] = {}
        for node in self.nodes:  # oldest first
            depth[node] = 1 + max(depth.get(edge, 0) for edge in _ends(node))
        for node in reversed(self.nodes):
            for edge in _ends(node):
                if not isinstance(edge, Node):
                    depth[edge] = min(depth.get(edge, depth[node]), depth[node] - 1)
        columns: list[list[Edge]] = [[] for _ in range(max(depth.values()) + 1)]
        order = [e for node in self.nodes for e in (*_ends(node), node)]
        for place in dict.fromkeys(order):
            columns[depth[place]].append(place)
        return columns

    def arrows(self) -> list[tuple[Edge, Edge]]:
        """List the pairs of a place and a node that was made from it."""
        return [(edge, node) for node in self.nodes for edge in _ends(node)]

    def spelled(self) -> str:
        """Spell the record as a sentence."""
        lines = []
        for node in self.nodes:
            edges = " and ".join(self.names[edge] for edge in _ends(node))
            lines.append(f"{self.names[node]} is {_kind(node)} with edges to {edges}")
        return "; ".join(lines)

    def right_of(self, place: Edge, top: float) -> tuple[float, float]:
        """Return the middle of a box's right side."""
        x, y = self.at[place]
        return x + WIDE, top + y + HIGH / 2

    def left_of(self, place: Edge, top: float) -> tuple[float, float]:
        """Return the middle of a box's left side."""
        x, y = self.at[place]
        return x, top + y + HIGH / 2

    def box(self, figure: Figure, place: Edge, top: float, fill: str) -> None:
        """Draw a place: its name, and what it is."""
        x, y = self.at[place]
        figure.box(x, top + y, WIDE, HIGH, fill)
        figure.text(x + WIDE / 2, top + y + 19, self.names[place], 16, weight="bold")
        kind = _kind(place) if isinstance(place, Node) else "leaf"
        figure.text(x + WIDE / 2, top + y + 36, kind, 13)


def _ends(node: Node) -> list[Edge]:
    """List where the gradients of a node go, a leaf that is 0 too: its truth is false."""
    return [edge for edge in node.edges if edge is not None]


def _kind(node: Edge) -> str:
    return type(node).__name__


def _arrow(
    figure: Figure,
    start: tuple[float, float],
    end: tuple[float, float],
    thick: bool = False,
    dashed: bool = False,
) -> None:
    """Draw a straight arrow."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    ends = [f"{x1 - 8 * dx - side * dy:.1f} {y1 - 8 * dy + side * dx:.1f}" for side in (4, -4)]
    style = f"fill:none;stroke:{colour('ink')};stroke-width:{3 if thick else 1.4}"
    line = f"M{x0:g} {y0:g} L{x1:g} {y1:g}"
    if dashed:
        figure.parts.append(f'<path d="{line}" style="{style};stroke-dasharray:4 4"/>')
    else:
        head = f"M{ends[0]} L{x1:g} {y1:g} L{ends[1]}"
        figure.parts.append(f'<path d="{line} {head}" style="{style}"/>')


def errors(measured: dict[str, list[tuple[float, float]]]) -> Figure:
    """Draw lists of (eps, error) with a power of ten for each step, the first list dashed."""
    tens = [log10(eps) for points in measured.values() for eps, _ in points]
    first, last = round(max(tens)), round(min(tens))
    best = {name: min(points, key=lambda point: point[1])[0] for name, points in measured.items()}
    alt = "the error of a derivative by differences, for smaller and smaller eps: " + "; ".join(
        f"{name} is best at eps = {eps:g}" for name, eps in best.items()
    )
    across, down = 28, 14  # pixels for a power of ten
    left, top, bottom = 62, 40, 40 + 13 * down
    figure = Figure(left + (first - last) * across + 40, bottom + 56, alt)
    figure.text(LEFT, 20, "error of the derivative", anchor="start")
    for power in range(0, -13, -4):
        y = top - power * down
        figure.text(left - 8, y + 5, f"1e{power}", 13, "soft", anchor="end")
        figure.line([(left, y), (left + (first - last) * across, y)], "line", 0.6)
    for power in range(first, last - 1, -3):
        figure.text(left + (first - power) * across, bottom + 20, f"1e{power}", 13, "soft")
    figure.text(left, bottom + 44, "eps, smaller to the right", 14, "soft", anchor="start")
    for number, (name, points) in enumerate(measured.items()):
        placed = [
            (left + (first - log10(eps)) * across, top - max(log10(error), -13) * down)
            for eps, error in points
            if error > 0
        ]
        figure.line(placed, "ink", 2.2, dashed=number == 0)
        x, y = placed[3]
        if number == 0:
            figure.text(x + 8, y - 8, name, 14, anchor="start")
        else:
            figure.text(x - 10, y + 20, name, 14, anchor="end")
    return figure
