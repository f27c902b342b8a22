"""A figure in frames, which `_static/player.js` plays: parts of it come and go.

Chapter 6 draws so what ranks have recorded, a frame for each tick. Without the script, and on
paper, the last frame is seen; so what a figure tells must be there in its last frame.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape

from figures.svg import Figure


class Player(Figure):
    """A drawing with a sentence for each frame, counted from 0; `slider` is what moves them."""

    def __init__(
        self, width: float, height: float, alt: str, says: Sequence[str], slider: str = "frame"
    ) -> None:
        super().__init__(width, height, alt)
        self.says, self.slider = list(says), slider

    @contextmanager
    def during(self, first: int, last: int | None = None) -> Iterator[None]:
        """Show what is drawn inside from one frame to another, both included, or to the end."""
        last = len(self.says) - 1 if last is None else last
        hidden = ' visibility="hidden"' if last < len(self.says) - 1 else ""
        self.parts.append(f'<g data-first="{first}" data-last="{last}"{hidden}>')
        yield
        self.parts.append("</g>")

    def _repr_html_(self) -> str:
        says = escape(json.dumps(self.says))
        slider = "" if self.slider == "frame" else f' data-slider="{escape(self.slider)}"'
        opened = f'<norch-player class="norch-figure" data-says="{says}"{slider}>'
        return f"{opened}{self.svg()}</norch-player>"


def stretches(states: Sequence[object]) -> list[tuple[object, int, int]]:
    """Join frames that look alike: each state with its first and its last frame.

    >>> stretches("aab")
    [('a', 0, 1), ('b', 2, 2)]
    """
    found: list[tuple[object, int, int]] = []
    for frame, state in enumerate(states):
        first = found.pop()[1] if found and found[-1][0] == state else frame
        found.append((state, first, frame))
    return found
