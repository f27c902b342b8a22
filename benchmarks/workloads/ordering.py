"""What looks for an order among a million elements, beside NumPy: argmax and sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.workload import Inputs, Work, Workload, normal

MANY = {"a": (1024, 1024)}


def row(name: str, of: Callable[[Any, Any], Any], in_numpy: Callable[[Any, Any], Any]) -> Workload:
    """Return the row of a function of the library and the input, no slower than NumPy's."""

    def build(lib: Any, given: Inputs) -> Work:
        return lambda: of(lib, given["a"])

    def text(lib: Any, given: Inputs) -> Work:
        return lambda: in_numpy(lib, given["a"])

    options = {"beside": "numpy", "numpy": text, "bytes": 4.0 * 1024 * 1024, "traffic": "read"}
    return Workload(f"1M {name}, beside NumPy", "ordering", normal(**MANY), build, 1.0, **options)


ROWS = (
    row("argmax of rows", lambda lib, a: a.argmax(1), lambda lib, a: a.argmax(1)),
    row("argmax of columns", lambda lib, a: a.argmax(0), lambda lib, a: a.argmax(0)),
    row("sort of rows", lambda lib, a: lib.sort(a, 1)[0], lambda lib, a: lib.sort(a, 1)),
)
