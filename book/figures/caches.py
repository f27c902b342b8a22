"""The cache explorer of chapter 2: its choices, and a drawing of two loop orders for paper.

lessons/caches.py counts, `_static/cache_explorer.js` shows each step. Nothing here is timed.
"""

from lessons.caches import ORDERS, WORK, Task, count

from figures.explorer import Explorer
from figures.svg import Figure

# What a reader may choose.
SIZES, LINES, CAPACITIES = (8, 16, 24), (1, 2, 4, 8), (4, 8, 16, 32, 64)
LEFT, CELL = 14, 12


def explorer(task: Task = Task()) -> Explorer:  # noqa: B008 (a tuple)
    """Show the loop orders of a task, the first one as it ends."""
    works = {name: {"operands": WORK[name], "orders": orders} for name, orders in ORDERS.items()}
    given = {"task": task._asdict(), "works": works, "sizes": SIZES, "lines": LINES}
    given["capacities"] = CAPACITIES
    return Explorer("cache-explorer", "cache explorer", given, fetches(task))


def fetches(task: Task) -> Figure:
    """Draw matrix b in two orders, how often each line of it was fetched; a bar for each order."""
    orders = ORDERS["product"]
    found = {order: count(task._replace(work="product", order=order)) for order in orders}
    totals = {order: sum(lines.values()) for order, lines in found.items()}
    told = ", ".join(f"{_name(order)}: {total}" for order, total in totals.items())
    alt = (
        f"lines fetched by a product of {task.size} by {task.size}, {task.line} elements a line, "
        f"{task.capacity} lines in the cache, by the order of the loops: {told}"
    )
    side = task.size * CELL
    figure = Figure(2 * LEFT + 2 * side + 40, 60 + side + 26 * len(orders), alt)
    for number, order in enumerate(orders[:2]):
        left = LEFT + number * (side + 40)
        figure.text(left, 20, f"fetches of b, {_name(order)}", 14, anchor="start")
        lines = {line: times for (name, line), times in found[order].items() if name == "b"}
        _matrix(figure, left, lines, task)
    for number, (order, total) in enumerate(totals.items()):
        y = 46 + side + 26 * number
        figure.text(LEFT, y + 15, _name(order), 14, anchor="start")
        length = max(2, (2 * side - 130) * total / max(totals.values()))
        figure.box(LEFT + 90, y, length, 20, "c1")
        figure.text(LEFT + 98 + length, y + 15, total, 14, anchor="start")
    return figure


def _name(order: str) -> str:
    return "in blocks" if order == "blocked" else " ".join(order)


def _matrix(figure: Figure, left: float, lines: dict[int, int], task: Task) -> None:
    """Draw a matrix line by line, with how often each was fetched."""
    for line, times in lines.items():
        row, column = divmod(line * task.line, task.size)
        x, y = left + column * CELL, 30 + row * CELL
        figure.box(x, y, task.line * CELL - 2, CELL - 1, "empty")
        figure.text(x + task.line * CELL / 2 - 1, y + 9.5, times, 10)
