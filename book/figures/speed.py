"""The pictures of chapter 2: in which order a loop meets memory, and what a block keeps near.

Each function computes what it draws from sizes, and returns a `Figure`.
"""

import itertools

from figures.svg import Figure

CELL = 34
LEFT = 14
GAP = 10  # between two lines of memory
LINE = 4  # elements of a cache line in these pictures; 16 floats in a real one


def visits(rows: int, columns: int, down: bool) -> Figure:
    """Number the elements of a matrix as a loop meets them, and count the cache lines it fetches.

    The cache of the picture holds one line.
    """
    order = [(i, j) for i in range(rows) for j in range(columns)]
    if down:
        order.sort(key=lambda place: (place[1], place[0]))
    lines = [(i * columns + j) // LINE for i, j in order]
    fetched = 1 + sum(one != other for one, other in itertools.pairwise(lines))
    way = "down the columns" if down else "along the rows"
    alt = (
        f"a matrix of {rows} by {columns}, met {way}: {fetched} fetches of a line of {LINE} "
        f"elements for {rows * columns} elements"
    )
    width = columns * CELL + GAP * (columns // LINE)
    figure = Figure(2 * LEFT + width + 130, 44 + rows * (CELL + 5), alt)
    figure.text(LEFT, 20, f"{way}: {fetched} fetches", anchor="start")
    for number, (i, j) in enumerate(order):
        x, y = LEFT + j * CELL + GAP * (j // LINE), 34 + i * (CELL + 5)
        if j % LINE == 0:
            figure.box(x - 3, y - 3, LINE * CELL + 3, CELL + 3, "empty", "ink")
        figure.box(x, y, CELL - 3, CELL - 3, f"c{(i * columns + j) // LINE % 6}")
        figure.text(x + 15, y + 21, number, 14)
    figure.text(LEFT + width + 4, 54, "a frame: one line", 13, "soft", anchor="start")
    return figure


def plan(shape: tuple[int, ...], strides: tuple[int, ...]) -> Figure:
    """Draw how a kernel walks: an outer count over all dims but one, a plain loop over that one."""
    outer, inner = shape[:-1], shape[-1]
    count = 1
    for size in outer:
        count *= size
    starts = []
    for number in range(count):
        place, rest = 0, number
        for size, stride in zip(reversed(outer), reversed(strides[:-1]), strict=True):
            place += rest % size * stride
            rest //= size
        starts.append(place)
    told = ", ".join(map(str, starts))
    alt = (
        f"shape {shape}, strides {strides}: {count} rows that start at {told}; in each, {inner} "
        f"steps of {strides[-1]}"
    )
    figure = Figure(2 * LEFT + 170 + inner * 62, 44 + count * CELL, alt)
    figure.text(LEFT, 20, f"shape {shape}, strides {strides}", anchor="start")
    for row, start in enumerate(starts):
        y = 34 + row * CELL
        figure.text(LEFT, y + 21, f"row starts at {start}", 14, "soft", anchor="start")
        for step in range(inner):
            x = LEFT + 150 + step * 62
            figure.box(x, y, 52, CELL - 5, f"c{row % 6}")
            figure.text(x + 26, y + 20, start + step * strides[-1], 14)
    return figure


def chunks(jobs: list[int], workers: int) -> Figure:
    """Draw jobs of unequal length: shared out beforehand, and taken by whoever is free."""
    fixed: list[list[int]] = [[] for _ in range(workers)]
    size = -(-len(jobs) // workers)
    for number, job in enumerate(jobs):
        fixed[number // size].append(job)
    free: list[list[int]] = [[] for _ in range(workers)]
    for job in jobs:
        min(free, key=sum).append(job)
    ends = [max(map(sum, plan)) for plan in (fixed, free)]
    alt = f"{len(jobs)} jobs for {workers} threads: shared out beforehand they end at {ends[0]}, "
    alt += f"taken by whoever is free at {ends[1]}"
    scale = 360 / max(ends)
    figure = Figure(458, 2 * (36 + 32 * workers) + 10, alt)
    for panel, (name, lanes) in enumerate((("shared out", fixed), ("whoever is free", free))):
        top = panel * (36 + 32 * workers)
        figure.text(LEFT, top + 20, f"{name}: done at {ends[panel]}", anchor="start")
        for worker, lane in enumerate(lanes):
            x, y = LEFT + 70.0, top + 30 + 32 * worker
            figure.text(LEFT, y + 18, f"thread {worker}", 14, "soft", anchor="start")
            for job in lane:
                figure.box(x, y, job * scale - 3, 26, f"c{worker}")
                figure.text(x + job * scale / 2 - 1, y + 18, job, 14)
                x += job * scale
    return figure


def blocks(size: int, depth: int, width: int) -> Figure:
    """Draw one turn of a blocked product: a piece of b, and what it needs of a and of the result.

    The piece stays in the cache while all rows of a pass by.
    """
    turns = -(-size // depth) * -(-size // width)
    alt = (
        f"a product of {size} by {size} in {turns} turns: in this one a piece of b of {depth} by "
        f"{width} is met by {depth} columns of a, and changes {width} columns of the result"
    )
    step, side = 14, 14 * size
    figure = Figure(2 * LEFT + 3 * side + 60, side + 50, alt)
    used = {
        "a": lambda i, j: "c0" if j < depth else "empty",
        "b: stays": lambda i, j: "c1" if i < depth and j < width else "empty",
        "result": lambda i, j: "c2" if j < width else "empty",
    }
    for number, (name, fill) in enumerate(used.items()):
        left = LEFT + number * (side + 30)
        figure.text(left, 20, name, anchor="start")
        for i in range(size):
            for j in range(size):
                figure.box(left + step * j, 30 + step * i, step - 2, step - 2, fill(i, j))
    return figure


def pairwise(values: list[int]) -> Figure:
    """Draw a pairwise sum: neighbours meet, then the sums of neighbours, until one is left."""
    rows = [values]
    while len(rows[-1]) > 1:
        rows.append([sum(rows[-1][k : k + 2]) for k in range(0, len(rows[-1]), 2)])
    steps = len(rows) - 1
    alt = f"{len(values)} numbers are added in {steps} rounds of neighbours: "
    alt += "; ".join(", ".join(map(str, row)) for row in rows)
    wide, high = 52, 62
    figure = Figure(2 * LEFT + wide * len(values), 20 + high * len(rows) - 20, alt)
    for depth, row in enumerate(rows):
        apart, y = wide * 2**depth, 12 + high * depth
        for k, value in enumerate(row):
            x = LEFT + apart * (k + 0.5)
            if depth:
                for side in (-0.25, 0.25):
                    figure.line([(x + side * apart, y - high + 32), (x, y)], "line", 1.4)
            figure.box(x - 20, y, 40, 32, "c0" if depth == 0 else "c2")
            figure.text(x, y + 21, value, 15)
    return figure
