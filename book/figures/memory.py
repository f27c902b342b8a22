"""The pictures of chapter 1: a flat buffer, and the array that a layout sees in it.

Every function takes a `Layout` and the number of elements of the buffer, and returns a `Figure`.
Elements are named by letters, positions are numbered, so that the two are never confused.
"""

from itertools import pairwise
from string import ascii_lowercase

from figures.svg import Figure
from norch_strides import Layout, index, positions

CELL = 36
LEFT = 14


def table_and_memory(layout: Layout, size: int, by: str = "row", name: str = "the array") -> Figure:
    """Draw the array as a table, and below it the buffer. Equal colours are equal elements.

    `by` says what a colour stands for: a "row" of the table, or a "position" of the buffer.
    """
    grid = _rows(layout)
    columns = max(map(len, grid))
    colours = _colours(grid, by)
    alt = (
        f"{name}, shape {layout.shape}, strides {layout.strides}, offset {layout.offset}: its rows "
        f"take the positions {_listed(grid)} of a buffer of {size} elements"
    )
    top = 34
    figure = Figure(_width(max(size, columns)), top + len(grid) * CELL + 104, alt)
    figure.text(LEFT, 20, f"{name}: shape {layout.shape}, strides {layout.strides}", **_start())
    for i, row in enumerate(grid):
        for j, position in enumerate(row):
            _cell(figure, LEFT + j * CELL, top + i * CELL, position, colours)
    below = top + len(grid) * CELL + 26
    figure.text(LEFT, below, "memory", 14, "soft", **_start())
    _buffer(figure, below + 10, size, colours)
    return figure


def walk(layout: Layout, size: int, name: str = "the array") -> Figure:
    """Draw the steps of the walk over the buffer: along the last dimension, and to the next row."""
    rows, columns = layout.shape
    down, right = layout.strides
    alt = (
        f"{name}, strides {layout.strides}: one step to the right moves {right} in the buffer, one "
        f"step down moves {down}"
    )
    rise, fall = 12 + 5 * abs(right), 12 + 5 * abs(down)
    top = 58 + rise
    figure = Figure(_width(size), top + CELL + 60 + fall, alt)
    figure.text(LEFT, 20, f"{name}: shape {layout.shape}, strides {layout.strides}", **_start())
    _buffer(figure, top, size, _colours(_rows(layout), "row"))
    _steps(figure, top - 6, rise, [index(layout, (0, j)) for j in range(columns)])
    _steps(figure, top + CELL + 26, -fall, [index(layout, (i, 0)) for i in range(rows)])
    return figure


def overlap(layout: Layout, size: int) -> Figure:
    """Draw windows (one a row of `layout`) as bars over the elements that they share."""
    grid = _rows(layout)
    alt = (
        f"{len(grid)} windows of {len(grid[0])} elements over a buffer of {size}: they cover the "
        f"positions {_listed(grid)}, so neighbours share elements"
    )
    top = 34
    figure = Figure(_width(size), top + 18 * len(grid) + 84, alt)
    figure.text(LEFT, 20, f"windows: shape {layout.shape}, strides {layout.strides}", **_start())
    for i, row in enumerate(grid):
        start, stop = LEFT + min(row) * CELL, LEFT + (max(row) + 1) * CELL
        figure.bracket(start + 3, stop - 3, top + 18 * i, f"c{i % 6}")
    _buffer(figure, top + 18 * len(grid) + 22, size, {})
    return figure


def images(named: dict[str, list[list[float]]], side: float = 168) -> Figure:
    """Draw grey images (rows of numbers from 0 to 1) beside each other, two a line."""
    alt = "small grey images of one face: " + ", ".join(named)
    lines = -(-len(named) // 2)
    figure = Figure(2 * side + 3 * LEFT, lines * (side + 40) + 6, alt)
    for number, (name, rows) in enumerate(named.items()):
        x, y = LEFT + number % 2 * (side + LEFT), number // 2 * (side + 40) + 30
        figure.text(x, y - 8, name, 16, **_start())
        figure.box(x, y, side, side, "empty")
        size = side / max(len(rows), len(rows[0]))
        for i, row in enumerate(rows):
            for j, darkness in enumerate(row):
                figure.pixel(x + j * size, y + i * size, size, darkness)
    return figure


def _steps(figure: Figure, y: float, height: float, stops: list[int]) -> None:
    """Draw the steps between the stops: above the buffer to the right, below it (dashed) down."""
    for here, there in pairwise(stops):
        figure.arc(_middle(here), _middle(there), y, height, dashed=height < 0)
    step = stops[1] - stops[0]
    name = f"right: {step:+d}" if height > 0 else f"down: {step:+d}"
    x = min(map(_middle, stops[:2])) - 6
    figure.text(x, y - height - 8 if height > 0 else y - height + 20, name, 15, **_start())


def _rows(layout: Layout) -> list[list[int]]:
    flat = positions(layout)
    columns = layout.shape[-1]
    return [flat[k : k + columns] for k in range(0, len(flat), columns)]


def _colours(grid: list[list[int]], by: str) -> dict[int, str]:
    if by == "position":
        seen = sorted({position for row in grid for position in row})
        return {position: f"c{k % 6}" for k, position in enumerate(seen)}
    return {position: f"c{i % 6}" for i, row in enumerate(grid) for position in row}


def _listed(grid: list[list[int]]) -> str:
    return "; ".join(" ".join(map(str, row)) for row in grid)


def _start() -> dict[str, str]:
    return {"anchor": "start"}


def _width(cells: int) -> float:
    return max(cells, 8) * CELL + 2 * LEFT


def _middle(position: int) -> float:
    return LEFT + (position + 0.5) * CELL


def _cell(figure: Figure, x: float, y: float, position: int, colours: dict[int, str]) -> None:
    figure.box(x, y, CELL, CELL, colours.get(position, "empty"))
    figure.text(x + CELL / 2, y + CELL / 2 + 6, ascii_lowercase[position], 18)


def _buffer(figure: Figure, y: float, size: int, colours: dict[int, str]) -> None:
    for position in range(size):
        _cell(figure, LEFT + position * CELL, y, position, colours)
        figure.text(_middle(position), y + CELL + 18, position, 14, "soft")
