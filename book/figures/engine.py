"""The pictures of "Going faster": two ceilings, caches as steps, chains of sums, trips to memory.

Each function draws the numbers that it is given, or computes them from sizes, and returns a
`Figure`. Nothing here measures.
"""

from math import ceil, log2

from figures.svg import Figure, colour

LEFT = 14


def roofline(peak: float, memory: float, points: dict[str, tuple[float, float]]) -> Figure:
    """Draw the two ceilings and some kernels, each with its operations a byte and its rate.

    `peak` and the rates count billions of operations a second, `memory` billions of bytes.
    """
    told = "; ".join(f"{name} {rate:.3g}" for name, (_, rate) in points.items())
    alt = (
        f"a roof: memory gives {memory:.3g} billion bytes a second, arithmetic stops at {peak:.3g} "
        f"billion operations. Below it, in billions a second: {told}"
    )
    left, top, across, down = 58, 52, 36, 25  # pixels for a doubling
    high, low, first, last = max(8, ceil(log2(peak)) + 1), -2, -4, 6
    right, bottom = left + (last - first) * across, top + (high - low) * down
    figure = Figure(right + 32, bottom + 52, alt)

    def place(intensity: float, rate: float) -> tuple[float, float]:
        return left + (log2(intensity) - first) * across, top + (high - log2(rate)) * down

    figure.text(LEFT, 22, "billion operations a second", 15, anchor="start")
    for power in range(low, high + 1, 2):
        y = top + (high - power) * down
        figure.line([(left, y), (right, y)], "line", 0.5)
        figure.text(left - 8, y + 5, f"{2.0**power:g}", 13, "soft", anchor="end")
    for power in range(first, last + 1, 2):
        x = left + (power - first) * across
        figure.text(x, bottom + 20, f"{2.0**power:g}", 13, "soft")
    figure.text(right, bottom + 42, "operations for each byte", 14, "soft", anchor="end")
    corner = peak / memory
    roof = [place(2.0**first, memory * 2.0**first), place(corner, peak), place(2.0**last, peak)]
    figure.line(roof, "ink", 2.4)
    x, y = place(corner, peak)
    figure.text(x, y - 9, f"arithmetic {peak:.0f}", 13, anchor="start")
    x, y = place(1, memory)
    figure.text(x - 12, y - 4, f"memory {memory:.0f}", 13, anchor="end")
    for number, (name, (intensity, rate)) in enumerate(points.items()):
        x, y = place(intensity, rate)
        style = f"fill:{colour(f'c{number % 6}')};stroke:{colour('ink')}"
        figure.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" style="{style}"/>')
        if x > (left + right) / 2:  # below the roof, not in it
            figure.text(x + 8, y + 23, name, 14, anchor="end")
        else:
            figure.text(x + 11, y + 6, name, 14, anchor="start")
    return figure


def curve(title: str, points: list[tuple[float, float]], names: dict[float, str]) -> Figure:
    """Draw a quantity over sizes, a step for each doubling; `names` are the sizes to be named."""
    sizes, values = [x for x, _ in points], [y for _, y in points]
    at = " and ".join(f"{value:.3g} at {names[size]}" for size, value in points if size in names)
    across = 330 / (log2(sizes[-1]) - log2(sizes[0]))
    left, top, high = 58, 50, 170
    figure = Figure(left + 330 + 50, top + high + 46, f"{title}: {at}")
    figure.text(LEFT, 22, title, 15, anchor="start")
    most = max(values)
    for part in (0.0, 0.5, 1.0):
        y = top + high * (1 - part)
        figure.line([(left, y), (left + 330, y)], "line", 0.5)
        figure.text(left - 8, y + 5, f"{most * part:.0f}", 13, "soft", anchor="end")
    placed = [
        (left + (log2(x) - log2(sizes[0])) * across, top + high * (1 - y / most)) for x, y in points
    ]
    figure.line(placed, "ink", 2.2)
    for (x, y), size in zip(placed, sizes, strict=True):
        style = f"fill:{colour('c0')};stroke:{colour('ink')}"
        figure.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" style="{style}"/>')
        if size in names:
            figure.text(x, top + high + 24, names[size], 13, "soft")
    return figure


def chains(adds: int, latency: int, lanes: int) -> Figure:
    """Draw additions in time: each takes `latency` ticks, one may begin in every tick."""
    unit, high = 380 / (adds * latency), 30
    ends = [(adds // lanes) * latency + lane for lane in range(lanes)]
    alt = f"{adds} additions of {latency} ticks in {lanes} chain{'s' * (lanes > 1)}: "
    alt += f"the last one ends at tick {ends[-1]}"
    figure = Figure(2 * LEFT + 420, 38 + high * lanes, alt)
    words = f"{lanes} chain{'s' * (lanes > 1)}: {adds} additions in {ends[-1]} ticks"
    figure.text(LEFT, 20, words, 15, anchor="start")
    for lane in range(lanes):
        for turn in range(adds // lanes):
            x = LEFT + (turn * latency + lane) * unit
            figure.box(x, 32 + high * lane, latency * unit - 2, high - 6, f"c{lane % 6}")
            number = turn * lanes + lane
            figure.text(x + latency * unit / 2 - 1, 49 + high * lane, number, 13)
    return figure


def tile(rows: int, vectors: int) -> Figure:
    """Draw a tile of sums in registers, and the numbers of a and vectors of b that a step loads."""
    loads, products = rows + vectors, rows * vectors
    alt = (
        f"a tile of {rows} rows by {vectors} vectors: a step loads {rows} numbers of a and "
        f"{vectors} vectors of b, {loads} loads for {products} vector multiply-adds"
    )
    wide, high, left, top = 110, 28, 130, 74
    figure = Figure(left + vectors * wide + 40, top + rows * high + 36, alt)
    figure.text(left - 8, 52, "vectors of b", 14, "soft", anchor="end")
    figure.text(LEFT, top + rows * high + 22, "column of a", 14, "soft", anchor="start")
    for vector in range(vectors):
        figure.box(left + vector * wide, 32, wide - 6, high - 4, "c1")
    for row in range(rows):
        y = top + row * high
        figure.box(left - 76, y, 34, high - 4, "c0")
        for vector in range(vectors):
            figure.box(left + vector * wide, y, wide - 6, high - 4, "c2")
            figure.text(left + vector * wide + 52, y + 17, "sums", 13)
    words = f"{loads} loads, {products} multiply-adds"
    figure.text(left, top + rows * high + 22, words, 14, anchor="start")
    return figure


def trips(steps: dict[str, tuple[int, int]]) -> Figure:
    """Draw how often each step carries the whole table from memory and back: (reads, writes)."""
    total = sum(map(sum, steps.values()))
    told = ", ".join(
        f"{name} {reads} in and {writes} out" for name, (reads, writes) in steps.items()
    )
    figure = Figure(430, 40 + 32 * len(steps), f"{total} trips of the table: {told}")
    figure.text(LEFT, 20, f"{total} trips of the whole table", 15, anchor="start")
    for number, (name, (reads, writes)) in enumerate(steps.items()):
        y = 32 + 32 * number
        figure.text(LEFT, y + 18, name, 14, anchor="start")
        for trip in range(reads + writes):
            x = 150 + 84 * trip
            figure.box(x, y, 78, 25, "c0" if trip < reads else "c1")
            figure.text(x + 39, y + 18, "in" if trip < reads else "out", 13)
    return figure
