"""The picture of the front page: six stages, each with a small drawing of its idea, in their order.

Needs nothing but the SVG writer, so the book can draw it while it is built.
"""

from itertools import pairwise

from figures.svg import Figure, colour

WIDE, HIGH, GAP = 134, 108, 14  # a phone shows three in a row
NAMES = ("1 strides", "2 CPU", "3 CUDA", "4 autograd", "5 nn", "6 distributed")


def overview() -> Figure:
    """Draw the stages as tiles, three in a row."""
    alt = "six stages: a row of memory walked by strides; bars that grow as loops are reordered; "
    alt += "blocks of threads; a graph that gradients walk back; layers of a network; "
    alt += "four processes in a ring"
    figure = Figure(3 * WIDE + 4 * GAP - 8, 2 * (HIGH + GAP) + 4, alt)
    drawings = (_strides, _loops, _threads, _graph, _layers, _ring)
    for number, (name, draw) in enumerate(zip(NAMES, drawings, strict=True)):
        x, y = 10 + number % 3 * (WIDE + GAP), 4 + number // 3 * (HIGH + GAP)
        style = f"fill:none;stroke:{colour('line')}"
        figure.parts.append(
            f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6" style="{style}"/>'
        )
        figure.text(x + 10, y + 21, name, 15, anchor="start", weight="bold")
        draw(figure, x + 10, y + 32)
    return figure


def _strides(figure: Figure, x: float, y: float) -> None:
    for place in range(6):
        figure.box(x + 20 * place, y + 30, 19, 22, f"c{place // 3}")
    for start, end in ((0, 3), (1, 4), (2, 5)):
        figure.arc(x + 20 * start + 10, x + 20 * end + 10, y + 27, 13)


def _loops(figure: Figure, x: float, y: float) -> None:
    for number, length in enumerate((6, 42, 66, 112)):
        figure.box(x, y + 16 * number, length, 13, f"c{number}")


def _threads(figure: Figure, x: float, y: float) -> None:
    for thread in range(36):
        left, top = thread % 12 * 9.6 + thread % 12 // 4 * 3, thread // 12 * 20
        figure.box(x + left, y + top + 4, 8, 15, f"c{thread % 12 // 4}")


def _graph(figure: Figure, x: float, y: float) -> None:
    places = ((0, 2), (0, 40), (48, 20), (96, 20))
    for start, end in ((3, 2), (2, 0), (2, 1)):
        (x0, y0), (x1, y1) = places[start], places[end]
        figure.line([(x + x0, y + y0 + 11), (x + x1 + 24, y + y1 + 11)], "ink", 1.6)
    for number, (left, top) in enumerate(places):
        figure.box(x + left, y + top, 24, 22, ("c0", "c0", "c2", "c1")[number])


def _layers(figure: Figure, x: float, y: float) -> None:
    columns = ((4, 6), (3, 56), (2, 106))
    places = [
        [(x + left, y + 32 + 17 * (row - (count - 1) / 2)) for row in range(count)]
        for count, left in columns
    ]
    for here, there in pairwise(places):
        for start in here:
            for end in there:
                figure.line([start, end], "line", 0.8)
    for number, column in enumerate(places):
        for left, top in column:
            style = f"fill:{colour(f'c{number}')};stroke:{colour('line')}"
            figure.parts.append(f'<circle cx="{left:g}" cy="{top:g}" r="6.5" style="{style}"/>')


def _ring(figure: Figure, x: float, y: float) -> None:
    corners = ((16, 2), (76, 2), (76, 44), (16, 44))
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        figure.line([(x + x0 + 14, y + y0 + 11), (x + x1 + 14, y + y1 + 11)], "ink", 1.6)
    for number, (left, top) in enumerate(corners):
        figure.box(x + left, y + top, 28, 22, f"c{number}")
        figure.text(x + left + 14, y + top + 16, number, 13)
