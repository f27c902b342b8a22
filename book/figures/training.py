"""The pictures of chapter 5: a module as a tree, signals on their way through layers, two descents.

They are drawn from real modules and measured numbers. Each function returns a `Figure`; nothing
here trains or changes a model.
"""

from math import log10, sqrt

from figures.svg import Figure, colour
from norch_nn import Module

ROW, STEP = 34, 26  # a line of the tree; how far a child stands to the right
LEFT = 14


def tree(module: Module, name: str) -> Figure:
    """Draw a module and all below it, one a line, with the parameters each of them owns."""
    rows = [
        (path.count(".") + (path != ""), path.rpartition(".")[2] or name, part)
        for path, part in module.named_modules()
    ]
    told = [_told(label, part) for _, label, part in rows]
    figure = Figure(450, 40 + ROW * len(rows), "a tree of modules: " + "; ".join(told))
    figure.text(LEFT, 20, "modules, and the parameters they own", anchor="start")
    for number, (depth, label, part) in enumerate(rows):
        y = 32 + ROW * number
        x = LEFT + STEP * depth
        if depth:
            figure.line([(x - 14, y - 8), (x - 14, y + 13), (x - 4, y + 13)], "line", 1.4)
        figure.text(x, y + 18, f"{label}: {type(part).__name__}", 15, anchor="start")
        for place, (own, value) in enumerate(part.named_parameters(recurse=False)):
            left = 172 + 132 * place
            figure.box(left, y, 126, 25, "c0" if value.ndim > 1 else "c1")
            figure.text(left + 63, y + 17, f"{own} {tuple(value.shape)}", 14)
    return figure


def _told(label: str, part: Module) -> str:
    owned = [f"{own} {tuple(value.shape)}" for own, value in part.named_parameters(recurse=False)]
    return f"{label} is a {type(part).__name__}" + (f" with {' and '.join(owned)}" if owned else "")


def spreads(measured: dict[str, list[float]]) -> Figure:
    """Draw how large the numbers are after each layer, on a scale of powers of ten."""
    ends = ", ".join(f"{name}: {values[-1]:.0e}" for name, values in measured.items())
    count = max(len(values) for values in measured.values())
    alt = f"the size of the numbers after each of {count} layers; after the last, {ends}"
    across, down, left, top = 14, 11, 70, 44
    high, low = 8, -8
    bottom = top + (high - low) * down
    figure = Figure(left + count * across + 110, bottom + 50, alt)
    figure.text(LEFT, 22, "size of the numbers", anchor="start")
    for power in range(high, low - 1, -4):
        y = top + (high - power) * down
        figure.text(left - 8, y + 5, f"1e{power}", 13, "soft", anchor="end")
        figure.line([(left, y), (left + count * across, y)], "line", 0.6)
    figure.text(left, bottom + 36, "layer 1 to the last", 14, "soft", anchor="start")
    for number, (name, values) in enumerate(measured.items()):
        points = [
            (left + (layer + 1) * across, top + (high - max(low, min(high, log10(value)))) * down)
            for layer, value in enumerate(values)
            if value > 0
        ]
        figure.line(points, "ink", 2.2, dashed=number > 0)
        figure.text(points[-1][0] + 8, points[-1][1] + 5, name, 14, anchor="start")
    return figure


def valley(steepness: tuple[float, float], paths: dict[str, list[tuple[float, float]]]) -> Figure:
    """Draw the lines of equal height of (a x^2 + b y^2) / 2, and walks down into it."""
    a, b = steepness
    told = "; ".join(
        f"{name} ends after {len(path) - 1} steps at ({path[-1][0]:.2f}, {path[-1][1]:.2f})"
        for name, path in paths.items()
    )
    wide, panel, scale = 460, 160, 42
    figure = Figure(wide, panel * len(paths), f"a narrow valley seen from above: {told}")
    for number, (name, path) in enumerate(paths.items()):
        middle_x, middle_y = wide - 90, panel * number + panel / 2 + 12
        for level in (0.06, 0.4, 1.1, 2.1):
            rx, ry = scale * sqrt(2 * level / a), scale * sqrt(2 * level / b)
            style = f"fill:none;stroke:{colour('line')};stroke-width:1"
            figure.parts.append(
                f'<ellipse cx="{middle_x:g}" cy="{middle_y:g}" rx="{rx:.1f}" ry="{ry:.1f}" '
                f'style="{style}"/>'
            )
        figure.line([(middle_x - 6, middle_y), (middle_x + 6, middle_y)], "soft", 2)
        figure.line([(middle_x, middle_y - 6), (middle_x, middle_y + 6)], "soft", 2)
        figure.text(LEFT, panel * number + 22, name, anchor="start", weight="bold")
        places = [(middle_x + scale * x, middle_y - scale * y) for x, y in path]
        figure.line(places, "ink", 2)
        for x, y in places:
            figure.parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" style="fill:{colour("ink")}"/>'
            )
    return figure


def digits(images: list[list[list[float]]], guesses: list[int]) -> Figure:
    """Draw small images in a row, each below what a network takes it for."""
    size, gap = 6, 6
    wide = size * len(images[0]) + gap
    alt = "handwritten digits, read as " + ", ".join(map(str, guesses))
    figure = Figure(2 * LEFT + wide * len(images), 90, alt)
    for number, (image, guess) in enumerate(zip(images, guesses, strict=True)):
        left = LEFT + wide * number
        figure.text(left + (wide - gap) / 2, 22, guess, 18)
        for row, line in enumerate(image):
            for column, darkness in enumerate(line):
                if darkness > 0:
                    figure.pixel(left + size * column, 34 + size * row, size, darkness)
    return figure
