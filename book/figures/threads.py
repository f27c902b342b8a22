"""The pictures of chapter 3: who does what in a launch, and how threads hand on their numbers.

Each function computes what it draws from the sizes or values it is given, and returns a `Figure`.
"""

from collections.abc import Callable, Sequence
from html import escape

from figures.svg import Figure, colour

CELL = 36
LEFT = 14


def grid(blocks: int, threads: int, size: int) -> Figure:
    """Draw a launch: blocks of threads, each thread with the number of its element."""
    alt = (
        f"{blocks} blocks of {threads} threads, {size} elements: thread t of block b has element "
        f"{threads} b + t; {blocks * threads - size} threads have none"
    )
    wide = threads * 30 + 18
    figure = Figure(2 * LEFT + blocks * wide, 126, alt)
    figure.text(LEFT, 20, "one thread, one element", anchor="start")
    for block in range(blocks):
        left = LEFT + block * wide
        figure.text(left, 46, f"block {block}", 14, "soft", anchor="start")
        for thread in range(threads):
            element, x = block * threads + thread, left + thread * 30
            figure.box(x, 54, 27, 27, f"c{block}" if element < size else "empty")
            figure.text(x + 13, 76, element if element < size else "-", 15)
            figure.text(x + 13, 106, f"t{thread}", 13, "soft")
    return figure


def shares(threads: int, size: int) -> Figure:
    """Draw a loop over the grid: one colour a thread, so that each one's share is seen."""
    alt = f"{size} elements, {threads} threads: thread t takes t, t + {threads}, t + {2 * threads}"
    figure = Figure(2 * LEFT + size * 31, 76, alt)
    figure.text(LEFT, 20, f"{threads} threads share {size} elements", anchor="start")
    for element in range(size):
        x = LEFT + element * 31
        figure.box(x, 32, 28, CELL - 3, f"c{element % threads}")
        figure.text(x + 14, 54, f"t{element % threads}", 14)
    return figure


def folding(values: Sequence[int]) -> Figure:
    """Draw the rounds in which lane 0 comes to know the sum: half the distance each time."""
    rows, distances = [list(values)], []
    distance = len(values) // 2
    while distance:
        last = rows[-1]
        rows.append([last[i] + last[i + distance] for i in range(distance)])
        distances.append(distance)
        distance //= 2
    alt = f"{len(values)} numbers are folded to {rows[-1][0]} at distances " + ", ".join(
        map(str, distances)
    )
    return _rounds(rows, distances, alt, lambda i, distance: i + distance)


def running(values: Sequence[int]) -> Figure:
    """Draw the rounds of a running sum: each adds what stands 1, 2, 4 places to its left."""
    rows, distances = [list(values)], []
    distance = 1
    while distance < len(values):
        last = rows[-1]
        rows.append([v + (last[i - distance] if i >= distance else 0) for i, v in enumerate(last)])
        distances.append(distance)
        distance *= 2
    alt = f"running sums of {', '.join(map(str, values))} in {len(distances)} rounds: " + ", ".join(
        map(str, rows[-1])
    )
    return _rounds(rows, distances, alt, lambda i, distance: i - distance)


def _rounds(
    rows: list[list[int]], distances: list[int], alt: str, other: Callable[[int, int], int]
) -> Figure:
    """Draw rows of numbers, with a line from each number to the two it was made of."""
    high = 74
    figure = Figure(2 * LEFT + len(rows[0]) * 44 + 110, 30 + high * len(rows) - 24, alt)
    for r, row in enumerate(rows):
        y = 16 + high * r
        if r:
            words = f"distance {distances[r - 1]}"
            figure.text(LEFT + len(rows[0]) * 44 + 8, y + 22, words, 14, "soft", anchor="start")
        for i, value in enumerate(row):
            x = LEFT + 44 * i
            if r:
                figure.line([(x + 18, y - 39), (x + 18, y - 2)], "line", 1.4)
                if 0 <= other(i, distances[r - 1]) < len(rows[r - 1]):
                    far = LEFT + 44 * other(i, distances[r - 1]) + 18
                    figure.line([(far, y - 39), (x + 18, y - 2)], "ink", 1.4)
            figure.box(x, y, 36, 34, "c0" if r == 0 else "c2")
            figure.text(x + 18, y + 23, value, 15)
    return figure


def tiles(size: int, tile: int, row: int, column: int) -> Figure:
    """Draw a product in tiles: one tile of the result, and the tiles of a and b it walks along."""
    step, side = 14, 14 * size
    alt = (
        f"matrices of {size} by {size} in tiles of {tile} by {tile}: the result's tile at row "
        f"{row}, column {column} needs the {size // tile} tiles of that row of a and of that "
        "column of b"
    )
    figure = Figure(2 * LEFT + 3 * side + 60, side + 50, alt)
    used = {
        "a": lambda i, j: i // tile == row,
        "b": lambda i, j: j // tile == column,
        "result": lambda i, j: (i // tile, j // tile) == (row, column),
    }
    for number, (name, is_used) in enumerate(used.items()):
        left = LEFT + number * (side + 30)
        figure.text(left, 20, name, anchor="start")
        for i in range(size):
            for j in range(size):
                along = j // tile if name == "a" else i // tile if name == "b" else 2
                fill = f"c{along % 6}" if is_used(i, j) else "empty"
                figure.box(left + step * j, 30 + step * i, step - 2, step - 2, fill)
        for stop in range(size // tile) if name != "result" else ():  # its number, in its middle
            across, down = (stop, row) if name == "a" else (column, stop)
            x, y = (step * tile * (place + 0.5) for place in (across, down))
            figure.text(left + x - 1, 30 + y + 4, stop + 1, 13)
    return figure


def segments(strides: Sequence[int], threads: int = 32, width: int = 32) -> Figure:
    """Draw the pieces of memory of `width` bytes that one warp touches at some strides.

    What it wants of a piece is drawn darker and higher than what comes along for nothing.
    """
    touched = {s: sorted({4 * s * t // width for t in range(threads)}) for s in strides}
    told = ", ".join(f"stride {s}: {len(pieces)} pieces" for s, pieces in touched.items())
    count = max(pieces[-1] for pieces in touched.values()) + 1
    size = 330 / count
    alt = f"pieces of {width} bytes fetched when {threads} threads read a float each: {told}"
    figure = Figure(2 * LEFT + 100 + count * size + 50, 40 + 40 * len(strides), alt)
    words = f"memory in pieces of {width} bytes; each upright line: a float that is wanted"
    figure.text(LEFT, 20, words, 14, anchor="start")
    for number, (stride, pieces) in enumerate(touched.items()):
        y = 34 + 40 * number
        figure.text(LEFT, y + 19, f"stride {stride}", 14, anchor="start")
        style = f"fill:{colour('empty')}"
        figure.parts.append(
            f'<rect x="{LEFT + 75}" y="{y}" width="{count * size:g}" height="26" style="{style}"/>'
        )
        for piece in pieces:
            style = f"fill:{colour('c1')};stroke:{colour('line')};stroke-width:0.5"
            figure.parts.append(
                f'<rect x="{LEFT + 75 + piece * size:g}" y="{y + 6}" width="{size:g}" height="20" '
                f'style="{style}"/>'
            )
        float_size = size * 4 / width
        for thread in range(threads):
            x = LEFT + 75 + thread * stride * float_size
            figure.parts.append(
                f'<rect x="{x:.5g}" y="{y}" width="{float_size:g}" height="26" '
                f'style="fill:{colour("ink")}"/>'
            )
        x = LEFT + 83 + count * size
        figure.text(x, y + 19, len(pieces), 14, anchor="start")
    return figure


def banks(side: int) -> Figure:
    """Draw a square tile, row after row in memory, with the bank of each element."""
    alt = (
        f"a tile of {side} by {side} in {side} banks: a row has every bank once, "
        "the whole of column 2 is in bank 2"
    )
    figure = Figure(2 * LEFT + 32 * side + 190, 40 + 32 * side, alt)
    figure.text(
        LEFT, 20, f"the bank of each element of a tile, if there were {side}", anchor="start"
    )
    for row in range(side):
        for column in range(side):
            x, y = LEFT + 32 * column, 32 + 32 * row
            fill = "c1" if column == 2 else "c0" if row == 1 else "empty"
            figure.box(x, y, 29, 29, fill)
            figure.text(x + 14, y + 20, (row * side + column) % side, 14)
    beside = LEFT + 32 * side + 12
    figure.text(beside, 32 + 52, "a row: one pass", 14, anchor="start")
    figure.text(beside, 32 + 52 + 32, f"a column: {side} passes", 14, anchor="start")
    return figure


class Shown:
    """HTML for a notebook, and the words that stand for it elsewhere."""

    def __init__(self, html: str, words: str) -> None:
        self.html, self.words = html, words

    def _repr_html_(self) -> str:
        return f'<div class="norch-figure">{self.html}</div>'

    def __repr__(self) -> str:
        """Return the description: what a viewer without graphics shows."""
        return f"Figure: {self.words}"


def heat(profile) -> Shown:
    """Show the heat map of a `norch_cuda.profile` in the colours of the page."""
    return Shown(profile.svg(), f"heat map of {profile.kernel}")


def page(text: str, title: str, height: int) -> Shown:
    """Show a whole page inside this one, as it would open by a double click."""
    style = f"width:100%;height:{height}px;border:1px solid {colour('line')};border-radius:8px"
    frame = f'<iframe title="{escape(title)}" style="{style}" srcdoc="{escape(text)}"></iframe>'
    return Shown(frame, title)
