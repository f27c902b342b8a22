"""An element of the page that a script brings to life, with its data and a drawing for paper.

figures/caches.py, figures/philox.py and figures/valley.py use it; `_static/controls.js` reads the
data. Without the script, and on paper, the drawing is seen.
"""

import json
from collections.abc import Mapping
from html import escape

from figures.svg import Figure


class Explorer:
    """The element `tag`, whose name a reader hears, what its script is given, and the drawing."""

    def __init__(self, tag: str, name: str, given: Mapping[str, object], drawing: Figure) -> None:
        self.tag, self.name, self.given, self.drawing = tag, name, given, drawing

    def _repr_html_(self) -> str:
        return (
            f'<{self.tag} class="norch-figure norch-explorer" data-name="{escape(self.name)}">'
            f"{data_script(self.given)}\n"
            f'<div class="fallback">{self.drawing.svg()}</div></{self.tag}>'
        )

    def __repr__(self) -> str:
        """Return the description: what a viewer without graphics shows."""
        return f"Figure: {self.drawing.alt}"


def data_script(given: Mapping[str, object]) -> str:
    """Return the part of a page that holds data for a script.

    >>> data_script({"sign": "</script>"})
    '<script type="application/json">{"sign":"<\\\\/script>"}</script>'
    """
    data = json.dumps(given, separators=(",", ":")).replace("</", "<\\/")
    return f'<script type="application/json">{data}</script>'
