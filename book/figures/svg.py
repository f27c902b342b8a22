"""A small SVG writer: shapes in, one figure out that a notebook can show.

Colours are names of CSS variables (`_static/norch.css` sets them for light and dark pages), each
with a fallback for viewers without the style sheet. Nothing here is random, timed or numbered by a
counter, so that a figure can be compared with the committed one letter by letter.
"""

from html import escape
from math import atan2, cos, pi, sin

COLOURS = {
    "ink": "#1d2433",
    "soft": "#5b6579",
    "line": "#8a94a8",
    "empty": "#eceff4",
    "c0": "#9ecae1",
    "c1": "#fdd08a",
    "c2": "#a8ddb5",
    "c3": "#d9b8e8",
    "c4": "#f4a8a0",
    "c5": "#e3dc85",
}
NONE = "none"  # for what is not filled


def colour(name: str) -> str:
    """Return the CSS value of a named colour."""
    return name if name == NONE else f"var(--fig-{name}, {COLOURS[name]})"


class Figure:
    """An SVG drawing with the sentence that describes it to those who cannot see it."""

    def __init__(self, width: float, height: float, alt: str) -> None:
        self.width, self.height, self.alt = width, height, alt
        self.parts: list[str] = []
        self.look = ""  # CSS for all of it: what `write` writes has this look

    def box(self, x: float, y: float, w: float, h: float, fill: str, stroke: str = "line") -> None:
        """Draw a rectangle with slightly round corners."""
        style = f"fill:{colour(fill)};stroke:{colour(stroke)}"
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="3" style="{style}"/>'
        )

    def pixel(self, x: float, y: float, size: float, darkness: float) -> None:
        """Draw a square as dark as asked, from 0 to 1."""
        style = f"fill:{colour('ink')};fill-opacity:{darkness:.2f};shape-rendering:crispEdges"
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" style="{style}"/>'
        )

    def text(
        self, x: float, y: float, words: object, size: float = 16, ink: str = "ink", **more: str
    ) -> None:
        """Write words centred on x (`anchor="start"` to begin there), with their baseline at y."""
        anchor, weight = more.get("anchor", "middle"), more.get("weight", "normal")
        style = f"fill:{colour(ink)};font:{weight} {size:g}px sans-serif;text-anchor:{anchor}"
        self.parts.append(f'<text x="{x:g}" y="{y:g}" style="{style}">{escape(str(words))}</text>')

    def write(self, x: float, y: float, words: object, weight: str = "", anchor: str = "") -> None:
        """Write words as the whole drawing looks: shorter than `text`, where there are many."""
        given = {"font-weight": weight, "text-anchor": anchor}
        extra = "".join(f' {name}="{value}"' for name, value in given.items() if value)
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{extra}>{escape(str(words))}</text>')

    def arc(self, x0: float, x1: float, y: float, height: float, dashed: bool = False) -> None:
        """Draw an arrow that leaves (x0, y), rises by `height` (or sinks) and lands at (x1, y)."""
        line = f"fill:none;stroke:{colour('ink')};stroke-width:1.6"
        dashes = ";stroke-dasharray:5 3" if dashed else ""
        self.parts.append(
            f'<path d="M{x0:g} {y:g} Q{(x0 + x1) / 2:g} {y - 2 * height:g} {x1:g} {y:g}" '
            f'style="{line}{dashes}"/>'
        )
        arriving = atan2(2 * height, (x1 - x0) / 2)
        barbs = [arriving + turn for turn in (pi - 0.45, pi + 0.45)]
        ends = [f"{x1 + 8 * cos(barb):.1f} {y + 8 * sin(barb):.1f}" for barb in barbs]
        self.parts.append(f'<path d="M{ends[0]} L{x1:g} {y:g} L{ends[1]}" style="{line}"/>')

    def arrow(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draw a straight arrow."""
        angle = atan2(y1 - y0, x1 - x0)
        barbs = [angle + turn for turn in (pi - 0.45, pi + 0.45)]
        ends = [(x1 + 7 * cos(barb), y1 + 7 * sin(barb)) for barb in barbs]
        self.line([(x0, y0), (x1, y1)], width=1.6)
        self.line([ends[0], (x1, y1), ends[1]], width=1.6)

    def line(
        self,
        points: list[tuple[float, float]],
        ink: str = "ink",
        width: float = 2.2,
        dashed: bool = False,
    ) -> None:
        """Draw straight lines from point to point."""
        path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dashes = ";stroke-dasharray:6 4" if dashed else ""
        style = f"fill:none;stroke:{colour(ink)};stroke-width:{width:g}{dashes}"
        self.parts.append(f'<path d="{path}" style="{style}"/>')

    def bracket(self, x0: float, x1: float, y: float, fill: str) -> None:
        """Draw a thick bar from x0 to x1."""
        self.box(x0, y, x1 - x0, 9, fill)

    def svg(self) -> str:
        """Return the drawing as SVG text; a narrow page shrinks it, but not its letters to dots."""
        least = 0.75 * self.width if self.width > 460 else 0
        begin, end = (f'<g style="{self.look}">\n', "</g>") if self.look else ("", "")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(self.alt)}" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" '
            f'style="width:100%;max-width:{self.width:g}px;min-width:{least:g}px;height:auto">\n'
            f"<title>{escape(self.alt)}</title>\n"
            f"{begin}" + "\n".join(self.parts) + f"\n{end}</svg>"
        )

    def _repr_html_(self) -> str:
        return f'<div class="norch-figure">{self.svg()}</div>'

    def __repr__(self) -> str:
        """Return the description: what a viewer without graphics shows."""
        return f"Figure: {self.alt}"
