"""Bars: a few sizes side by side, each with its number. Used by chapters 2, 3 and 5."""

from figures.svg import Figure

LEFT = 14


def draw(title: str, sizes: dict[str, int], unit: str) -> Figure:
    """Draw one bar for each size, with its number."""
    told = ", ".join(f"{name} {size} {unit}" for name, size in sizes.items())
    figure = Figure(450, 36 + 34 * len(sizes), f"{title}: {told}")
    figure.text(LEFT, 20, title, anchor="start")
    for number, (name, size) in enumerate(sizes.items()):
        y = 32 + 34 * number
        figure.text(LEFT, y + 18, name, 14, anchor="start")
        length = max(2, 200 * size / max(sizes.values()))
        figure.box(150, y, length, 25, f"c{number}")
        figure.text(158 + length, y + 18, f"{size} {unit}", 14, anchor="start")
    return figure
