"""Writes the counts of a run into docs/reliability.md: no number is copied by hand."""

import re
from pathlib import Path

BEGIN, END = "<!-- fuzz: written by tools/fuzz.py --record -->", "<!-- fuzz: end -->"


def record(page, total, failures, against, seed):
    """Replace what stands between the marks of a page by the tables of a run."""
    path = Path(page)
    before, rest = path.read_text().split(BEGIN)
    after = rest.split(END)[1]
    lines = "\n".join(tables(total, failures, against, seed))
    path.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}")


def tables(total, failures, against, seed):
    """Yield the lines: the counts, what was left over, and the reasons."""
    count = dict.fromkeys(("crash", "hang"), 0)
    for (kind, *_), n in failures.items():
        count[kind] = count.get(kind, 0) + n
    yield "| beside | seed | calls | returned | refused | crashes | hangs | kinds left over |"
    yield "|---|---|---|---|---|---|---|---|"
    numbers = total.calls, total.returned, total.refused, count["crash"], count["hang"]
    cells = [against, str(seed), *(f"{n:,}" for n in (*numbers, len(failures)))]
    yield f"| {' | '.join(cells)} |"
    yield ""
    yield from table("left over", {" ".join(sign).strip(): n for sign, n in failures.items()})
    yield from table("reason", total.explained)


def table(what, counts):
    """Yield a table of counts, the largest first; nothing if there is none."""
    if not counts:
        return
    yield f"| calls | {what} |"
    yield "|---|---|"
    for words, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        words = re.sub(r"([|*_<])", r"\\\1", words)
        yield f"| {n:,} | {words} |"
    yield ""
