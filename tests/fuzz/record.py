"""The tables of docs/reliability.md: a row for each run, what was left over, and the reasons.

A run replaces them, or adds its own row and counts to what is there: so two seeds share a page.
"""

import re
from pathlib import Path

BEGIN, END = "<!-- fuzz: written by tools/fuzz.py --record -->", "<!-- fuzz: end -->"
HEAD = "| beside | seed | calls | returned | refused | crashes | hangs | kinds left over |"


def record(page, total, failures, against, seed, add=False):
    """Replace what stands between the marks of a page by the tables of a run, or `add` to it."""
    path = Path(page)
    before, rest = path.read_text().split(BEGIN)
    old, after = rest.split(END)
    rows, left, reasons = read_tables(old) if add else ([], {}, {})
    rows = [row for row in rows if f"| {seed} |" not in row]
    rows.append(row_of(total, failures, against, seed))
    named = {escaped(" ".join(sign).strip()): n for sign, n in failures.items()}
    reasons = summed(reasons, {escaped(reason): n for reason, n in total.explained.items()})
    lines = "\n".join([*tables(rows, summed(left, named), reasons)])
    path.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}")


def row_of(total, failures, against, seed):
    """Return the row of a run."""
    count = dict.fromkeys(("crash", "hang"), 0)
    for (kind, *_), n in failures.items():
        count[kind] = count.get(kind, 0) + n
    numbers = total.calls, total.returned, total.refused, count["crash"], count["hang"]
    cells = [against, str(seed), *(f"{n:,}" for n in (*numbers, len(failures)))]
    return f"| {' | '.join(cells)} |"


def read_tables(text):
    """Return the rows of the runs in some tables, and the counts of the two others."""
    rows, counts = [], {"left over": {}, "reason": {}}
    table = None
    for line in text.splitlines():
        if line.startswith(("| calls |", "| beside |")):
            table = next((name for name in counts if line == f"| calls | {name} |"), None)
        elif found := re.match(r"\| ([\d,]+) \| (.*) \|$", line):
            counts[table][found[2]] = int(found[1].replace(",", ""))
        elif line.startswith("| ") and table is None:
            rows.append(line)
    return rows, counts["left over"], counts["reason"]


def summed(a, b):
    """Return the sums of two tables of counts."""
    return {key: a.get(key, 0) + b.get(key, 0) for key in (*a, *b)}


def tables(rows, left, reasons):
    """Yield the lines: the runs, what was left over, and the reasons."""
    yield from (HEAD, "|---|---|---|---|---|---|---|---|", *rows, "")
    yield from table("left over", left)
    yield from table("reason", reasons)


def table(what, counts):
    """Yield a table of counts, the largest first; nothing if there is none."""
    if not counts:
        return
    yield f"| calls | {what} |"
    yield "|---|---|"
    for words, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {n:,} | {words} |"
    yield ""


def escaped(words):
    """Return words as a cell of a table."""
    return re.sub(r"([|*_<])", r"\\\1", words)
