"""The loss valley of chapter 5: lines of equal loss from above, and walks down into it.

lessons/descent.py computes; here it is drawn. `_static/loss_valley.js` shows the same valley with
sliders for the optimizer and a start that can be moved. Without the script, and on paper, the given
walks are seen.
"""

import json
from collections.abc import Mapping

from lessons.descent import POINTS, START, STEPS, Place, Valley, loss

from figures.svg import Figure, colour
from norch_autograd import float64, tensor

WIDE, HIGH, TOP = 420, 280, 30  # of a panel; above it stand its words
SLOPES, HEIGHTS = (-3.0, 6.0), (-4.0, 9.0)  # left and right, bottom and top
LEVELS = (0.5, 2, 4.5, 8, 18, 32, 50, 72, 98, 128)  # of the lines, above the least loss


class LossValley:
    """A valley, and walks by name: what each of them came to is said above its panel."""

    def __init__(self, valley: Valley, walks: Mapping[str, list[Place]]) -> None:
        self.valley, self.walks = valley, dict(walks)

    def told(self) -> dict[str, str]:
        """Say of each walk where it came to."""
        return {name: f"the loss is {self._last(path)}" for name, path in self.walks.items()}

    def _last(self, path: list[Place]) -> str:
        last = float(f"{loss(tensor(path[-1], dtype=float64)).item():.3g}")
        return f"{last:g} after {len(path) - 1} steps"

    def data(self) -> dict:
        """Return what the script needs."""
        return {
            "points": POINTS,
            "start": START,
            "steps": STEPS,
            "slopes": SLOPES,
            "heights": HEIGHTS,
            "levels": LEVELS,
            **self.valley._asdict(),
        }

    def figure(self) -> Figure:
        """Draw a panel for each walk."""
        told = self.told()
        alt = "a valley of the loss from above, and three walks: " + "; ".join(
            f"{name}: {words}" for name, words in told.items()
        )
        figure = Figure(WIDE, (HIGH + TOP) * len(self.walks), alt)
        for number, (name, path) in enumerate(self.walks.items()):
            top = (HIGH + TOP) * number
            figure.text(0, top + 20, f"{name}: {told[name]}", 15, anchor="start")
            inside = f'x="0" y="{top + TOP}" width="{WIDE}" height="{HIGH}"'
            figure.parts.append(f'<svg {inside} viewBox="0 0 {WIDE} {HIGH}" overflow="hidden">')
            figure.box(0, 0, WIDE, HIGH, "empty")
            self._lines(figure)
            self._walk(figure, path)
            figure.parts.append("</svg>")
        return figure

    def _walk(self, figure: Figure, path: list[Place]) -> None:
        """Draw a walk; nothing of it after the first place outside."""
        places = [_place(one) for one in path]
        outside = [k for k, (x, y) in enumerate(places) if not (0 <= x <= WIDE and 0 <= y <= HIGH)]
        places = places[: min(outside, default=len(places)) + 1]
        figure.line(places, "ink", 2)
        for x, y in places:
            style = f"fill:{colour('ink')}"
            figure.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" style="{style}"/>')

    def _lines(self, figure: Figure) -> None:
        """Draw the lines of equal loss: circles, as the valley's steepness stretches them."""
        x, y = _place(self.valley.lowest)
        (a, b), (c, d) = self.valley.circle
        across = WIDE / (SLOPES[1] - SLOPES[0])
        up = -HIGH / (HEIGHTS[1] - HEIGHTS[0])
        style = f"fill:none;stroke:{colour('line')};stroke-width:1"
        for level in LEVELS:
            r = level**0.5
            parts = (a * across * r, c * up * r, b * across * r, d * up * r, x, y)
            matrix = " ".join(f"{part:.2f}" for part in parts)
            figure.parts.append(
                f'<circle r="1" transform="matrix({matrix})" vector-effect="non-scaling-stroke" '
                f'style="{style}"/>'
            )
        figure.line([(x - 6, y), (x + 6, y)], "soft", 2)
        figure.line([(x, y - 6), (x, y + 6)], "soft", 2)

    def _repr_html_(self) -> str:
        data = json.dumps(self.data(), separators=(",", ":"))
        return (
            '<loss-valley class="loss-valley">'
            f'<script type="application/json">{data}</script>\n'
            f'<div class="fallback norch-figure">{self.figure().svg()}</div></loss-valley>'
        )

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {words}" for name, words in self.told().items())


def _place(place: Place) -> tuple[float, float]:
    """Return where a slope and a height stand in a panel."""
    x = WIDE * (place[0] - SLOPES[0]) / (SLOPES[1] - SLOPES[0])
    return x, HIGH - HIGH * (place[1] - HEIGHTS[0]) / (HEIGHTS[1] - HEIGHTS[0])
