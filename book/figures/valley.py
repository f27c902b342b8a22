"""The loss valley of chapter 5: lines of equal loss from above, and walks down into it.

lessons/descent.py computes; here it is drawn. `_static/loss_valley.js` shows the same valley with
sliders for the optimizer and a start that can be moved. Without the script, and on paper, the given
walks are seen.
"""

from collections.abc import Mapping

from lessons.descent import POINTS, START, STEPS, Place, Valley, loss

from figures.explorer import Explorer
from figures.svg import Figure, colour
from norch_autograd import float64, tensor

WIDE, HIGH, TOP = 420, 280, 30  # of a panel; above it stand its words
SLOPES, INTERCEPTS = (-3.0, 6.0), (-4.0, 9.0)  # left and right, bottom and top
LEVELS = (0.5, 2, 4.5, 8, 18, 32, 50, 72, 98, 128)  # of the lines, above the least loss


class LossValley(Explorer):
    """A valley, and walks by name: what each of them came to is said above its panel."""

    def __init__(self, valley: Valley, walks: Mapping[str, list[Place]]) -> None:
        self.valley, self.walks = valley, dict(walks)
        super().__init__("loss-valley", "loss valley", self.data(), self.figure())

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
            "intercepts": INTERCEPTS,
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
        places = seen([at(one) for one in path])
        figure.line(places, "ink", 2)
        for x, y in places:
            style = f"fill:{colour('ink')}"
            figure.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" style="{style}"/>')

    def _lines(self, figure: Figure) -> None:
        """Draw the lines of equal loss: circles, as the valley's steepness stretches them."""
        style = f"fill:none;stroke:{colour('line')};stroke-width:1"
        for parts in rings(self.valley):
            matrix = " ".join(f"{part:.2f}" for part in parts)
            figure.parts.append(
                f'<circle r="1" transform="matrix({matrix})" vector-effect="non-scaling-stroke" '
                f'style="{style}"/>'
            )
        x, y = at(self.valley.lowest)
        figure.line([(x - 6, y), (x + 6, y)], "soft", 2)
        figure.line([(x, y - 6), (x, y + 6)], "soft", 2)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {words}" for name, words in self.told().items())


# `_static/loss_valley.js` has these three as well; a test compares them.


def at(place: Place) -> Place:
    """Return where a slope and an intercept stand in a panel."""
    x = WIDE * (place[0] - SLOPES[0]) / (SLOPES[1] - SLOPES[0])
    return x, HIGH - HIGH * (place[1] - INTERCEPTS[0]) / (INTERCEPTS[1] - INTERCEPTS[0])


def seen(places: list[Place]) -> list[Place]:
    """Return what is drawn of places in a panel: nothing after the first that is outside."""
    outside = [k for k, (x, y) in enumerate(places) if not (0 <= x <= WIDE and 0 <= y <= HIGH)]
    return places[: min(outside, default=len(places)) + 1]


def rings(valley: Valley) -> list[tuple[float, ...]]:
    """Return how SVG stretches and moves a circle of radius 1 into each line of equal loss."""
    (a, b), (c, d) = valley.circle
    across, up = WIDE / (SLOPES[1] - SLOPES[0]), -HIGH / (INTERCEPTS[1] - INTERCEPTS[0])
    stretch = (a * across, c * up, b * across, d * up)
    return [(*(part * level**0.5 for part in stretch), *at(valley.lowest)) for level in LEVELS]
