"""The plan explorer of the page on planning: its numbers in the page, and a table for paper.

`lessons/plans.py` makes the numbers, `_static/plan_explorer.js` shows them. Without the script, and
on paper, the table is seen.
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product

HEAD = ("plan", "memory of a rank", "a step", "waiting and sending", "MFU")


class PlanExplorer:
    """Sliders over tabulated plans; `shown` are the choices of the table, one a line."""

    def __init__(self, table: Mapping, shown: Sequence[Mapping[str, object]]) -> None:
        self.table, self.shown = table, shown

    def lines(self) -> list[list[str]]:
        """Return the table for paper: plans that the sliders can reach, with what they cost."""
        return [self._line(choice) for choice in self.shown]

    def _line(self, choice: Mapping[str, object]) -> list[str]:
        sliders = self.table["sliders"]
        place = list(product(*sliders.values())).index(tuple(choice[name] for name in sliders))
        _, *numbers = self.table["rows"][place]
        memory, times = sum(numbers[:4]) / 10, numbers[4:]
        name = f"{choice['model']}, {choice['ranks']} ranks: {choice['tensor']} tensor, "
        name += f"{choice['pipeline']} pipeline, ZeRO-{choice['ZeRO']}"
        name += ", recomputed" * (choice["recompute"] == "full")
        tokens = choice["batch"] * self.table["tokens"]
        rate = self.table["operations"][choice["model"]] * tokens / choice["ranks"]
        mfu = rate / (sum(times) / 1e3) / self.table["peak"]
        idle = (times[2] + times[3]) / sum(times)
        return [name, f"{memory:.0f} GB", f"{sum(times) / 1e3:.1f} s", f"{idle:.0%}", f"{mfu:.0%}"]

    def _repr_html_(self) -> str:
        data = json.dumps(self.table, separators=(",", ":"))
        rows = ["".join(f"<td>{escape(word)}</td>" for word in line) for line in self.lines()]
        head = "".join(f"<th>{escape(word)}</th>" for word in HEAD)
        return (
            '<plan-explorer class="norch-figure">'
            f'<script type="application/json">{data}</script>\n'
            f'<table class="fallback"><thead><tr>{head}</tr></thead><tbody>\n'
            + "\n".join(f"<tr>{row}</tr>" for row in rows)
            + "\n</tbody></table></plan-explorer>"
        )

    def __repr__(self) -> str:
        return "\n".join("  ".join(line) for line in self.lines())
