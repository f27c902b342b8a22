"""Two figures of simulated steps, as SVG texts: the timeline of one, and speed against ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from norch_ddp.simulate.stage import Event
from norch_ddp.simulate.steps import Step

_INK, _SOFT = "var(--fig-ink, #1d2433)", "var(--fig-soft, #5b6579)"
_FORWARD, _BACKWARD = "var(--fig-c0, #9ecae1)", "var(--fig-c1, #fdd08a)"
_NETWORK, _REST = "var(--fig-c2, #b5d6a7)", "var(--fig-line, #8a94a8)"
_LEFT, _TOP, _ROW, _WIDE = 90, 34, 24, 640  # pixels


def timeline(step: Step, stages: Sequence[int] | None = None) -> str:
    """Draw what every stage, or those named, computes and sends, from the step's start to its end.

    Forwards are blue, backwards yellow, gradients under way green, and so is the end of a bar: its
    share of messages inside the stage (sums of tensor ranks). White between bars is waiting.
    """
    events = [one for one in step.events if stages is None or one.stage in stages]
    rows = sorted({(event.stage, event.stream) for event in events})
    scale = _WIDE / step.seconds
    parts = [_words(_LEFT, 18, f"{step.plan}: {_time(step.seconds)}", _INK, "start")]
    for i, (stage, stream) in enumerate(rows):
        parts.append(_words(_LEFT - 8, _TOP + _ROW * i + 15, f"{stream} {stage}", _SOFT, "end"))
    for event in events:
        y = _TOP + _ROW * rows.index((event.stage, event.stream))
        parts += _bar(event, y, scale)
    alt = f"timeline of one step: {step.plan}, {_time(step.seconds)}"
    return _drawing(_LEFT + _WIDE + 10, _TOP + _ROW * len(rows) + 8, alt, parts)


def _bar(event: Event, y: float, scale: float) -> list[str]:
    """Return the SVG of an event's bar in the timeline, named where there is room."""
    colours = {"F": _FORWARD, "B": _BACKWARD, "g": _NETWORK}
    x, width = _LEFT + event.start * scale, (event.end - event.start) * scale
    found = [_box(event, x, y, width, colours.get(event.what[0], _REST))]
    if event.wire * scale > 0.5:
        found.append(_box(event, x + width - event.wire * scale, y, event.wire * scale, _NETWORK))
    named = width > 7 * len(event.what)
    return [*found, _words(x + width / 2, y + 14, event.what, _INK)] if named else found


def _box(event: Event, x: float, y: float, width: float, fill: str) -> str:
    """Return the SVG of a bar or of its end, which says when it is."""
    return (
        f'<rect x="{x:.2f}" y="{y}" width="{max(width, 0.5):.2f}" height="{_ROW - 4}" '
        f'style="fill:{fill}"><title>{escape(event.what)}: {_time(event.start)} to '
        f"{_time(event.end)}</title></rect>"
    )


def _time(seconds: float) -> str:
    """Return seconds in the unit that the timeline says them in."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def scaling(speeds: Mapping[str, Mapping[int, float]]) -> str:
    """Draw tokens per second against ranks, both doubling, a line for each named strategy."""
    ranks = sorted({n for line in speeds.values() for n in line})
    values = [value for line in speeds.values() for value in line.values()]
    low, high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
    tall = 260

    def place(n: int, value: float) -> tuple[float, float]:
        across = math.log2(n / ranks[0]) / max(1.0, math.log2(ranks[-1] / ranks[0]))
        up = (math.log2(value) - low) / max(1, high - low)
        return _LEFT + across * (_WIDE - 150), _TOP + tall * (1 - up)

    parts = [_words(_LEFT, 18, "tokens per second", _INK, "start")]
    for power in range(low, high + 1):
        y = place(ranks[0], 2.0**power)[1]
        parts.append(_words(_LEFT - 8, y + 4, f"{2.0**power:,.0f}", _SOFT, "end"))
    for n in ranks:
        parts.append(_words(place(n, 2.0**low)[0], _TOP + tall + 22, n, _SOFT))
    parts.append(_words(_LEFT + (_WIDE - 150) / 2, _TOP + tall + 42, "ranks", _SOFT))
    lines = {name: [place(n, line[n]) for n in sorted(line)] for name, line in speeds.items()}
    beside = _apart({name: points[-1][1] for name, points in lines.items()})
    for i, (name, points) in enumerate(lines.items()):
        parts += _line(points, i)
        parts.append(_words(points[-1][0] + 8, beside[name] + 4, name, _INK, "start"))
    alt = "tokens per second against ranks: " + "; ".join(
        f"{name} {line[max(line)]:,.3g} at {max(line)}" for name, line in speeds.items()
    )
    return _drawing(_LEFT + _WIDE + 10, _TOP + tall + 52, alt, parts)


def _apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Move the names beside a figure's lines down until none is on another."""
    apart, free = {}, 0.0
    for name, y in sorted(heights.items(), key=lambda pair: pair[1]):
        apart[name] = max(y, free)
        free = apart[name] + 14
    return apart


def _line(points: Sequence[tuple[float, float]], i: int) -> list[str]:
    """Return the SVG of a strategy's line, each dashed in its own way."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ("none", "6 3", "2 3", "8 3 2 3")[i % 4]
    style = f"fill:none;stroke:{_INK};stroke-width:2;stroke-dasharray:{dashes}"
    return [f'<polyline points="{path}" style="{style}"/>']


def _words(x: float, y: float, words: object, ink: str, anchor: str = "middle") -> str:
    """Return the SVG of a text."""
    style = f"fill:{ink};font:12px sans-serif;text-anchor:{anchor}"
    return f'<text x="{x:.1f}" y="{y:.1f}" style="{style}">{escape(str(words))}</text>'


def _drawing(width: float, height: float, alt: str, parts: Sequence[str]) -> str:
    """Return a figure's SVG: a narrow page shrinks it a little, then scrolls it."""
    size = f"width:100%;max-width:{width:g}px;min-width:{0.8 * width:g}px;height:auto"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {width:g} {height:g}" style="{size}">'
        f"\n<title>{escape(alt)}</title>\n" + "\n".join(parts) + "\n</svg>"
    )
