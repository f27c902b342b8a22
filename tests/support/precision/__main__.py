"""`python -m precision`: a table of the worst errors, norch's beside PyTorch's where this is found.

`python tools/precision.py` calls it. `--record` puts the table into docs/reliability.md.
"""

import argparse
import math
import os
import sys
import warnings
from pathlib import Path

import mpmath

from .measure import DTYPES, Worst, name_of
from .pointwise import POINTWISE, measure as measure_pointwise
from .rows import ROWS, measure as measure_rows

BEGIN, END = "<!-- precision: written by tools/precision.py --record -->", "<!-- precision: end -->"
LOST = 1e5


def errors(library, measure, function, kind, known):
    """Return the worst errors of value and gradient; none of what the library does not have."""
    try:
        return measure(library, function, kind, known)[:2]
    except (NotImplementedError, RuntimeError):
        return Worst(math.nan), Worst(math.nan)


def shown(ulps):
    """Return an error as a cell of the table shows it."""
    if math.isnan(ulps):
        return "none"
    if ulps >= LOST:
        return "lost"
    return f"{ulps:.1f}" if ulps < 10 else f"{ulps:.0f}"


def rows(libraries):
    """Yield the lines of the table: of each function the errors in every dtype, ours first."""
    yield (
        "| function | "
        + " | ".join(f"{w} {k}" for w in ("value", "gradient") for k in DTYPES)
        + " |"
    )
    yield "|---" * (1 + 2 * len(DTYPES)) + "|"
    for group, measure in ((POINTWISE, measure_pointwise), (ROWS, measure_rows)):
        for function in group:
            cells = [[], []]
            for kind in DTYPES:
                known = {}
                found = [errors(lib, measure, function, kind, known) for lib in libraries]
                for k in range(2):
                    cells[k].append(" / ".join(shown(side[k].ulps) for side in found))
            yield f"| `{name_of(function.text)}` | {' | '.join(cells[0] + cells[1])} |"


def record(page, lines):
    """Replace what stands between the marks of a page."""
    path = Path(page)
    before, rest = path.read_text().split(BEGIN)
    path.write_text("\n".join([before + BEGIN, *lines, END + rest.split(END)[1]]))


def main():
    """Print the table, or put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", metavar="FILE", help="put the table into this page")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    mpmath.mp.dps = 50
    import norch

    libraries = [norch]
    if folder := os.environ.get("NORCH_PARITY_TORCH"):
        sys.path.append(folder)  # last: everything else stays this environment's
    try:
        import torch
    except ImportError:
        print("[precision] without PyTorch")
    else:
        libraries.append(torch)
    lines = list(rows(libraries))
    print("\n".join(lines))
    if options.record:
        if len(libraries) == 1:
            sys.exit("[precision] the page wants PyTorch beside norch: give --torch")
        version = libraries[1].__version__.partition("+")[0]
        record(options.record, [f"norch / PyTorch {version}, in ulp.", "", *lines, ""])


if __name__ == "__main__":
    main()
