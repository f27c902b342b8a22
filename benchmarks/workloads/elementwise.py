"""One pass over a million elements (in the last cache) and over sixteen million (in memory).

The bytes of a row are what must be read and written once; whatever a library moves on top of that,
page faults included, shows as a smaller rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.workload import Build, Inputs, Work, Workload, in_both_memories, normal

Expression = Callable[..., Any]
SIZES = {"1M": (1024, 1024), "16M": (4096, 4096)}

# Gate and aim by row and size.
GATES = {
    "1M": {
        "add": (0.97, 0.90),
        "add, broadcast row": (0.85, 0.80),
        "add, every other column": (1.05, 0.90),
        "A + B.T": (0.35, 0.12),
        "exp": (0.35, 0.25),
        "gelu": (0.75, 0.60),
        "sum": (1.03, 0.90),
        "copy": (1.05, 0.90),
        "copy into a tensor": (1.0, 0.90),
    },
    "16M": {
        "add": (0.14, 0.12),
        "add, broadcast row": (0.12, 0.10),
        "add, every other column": (0.35, 0.15),
        "A + B.T": (0.22, 0.12),
        "exp": (0.35, 0.15),
        "gelu": (0.35, 0.15),
        "sum": (1.0, 0.90),
        "copy": (0.35, 0.15),
        "copy into a tensor": (1.0, 0.90),
    },
}


def of_inputs(expression: Expression) -> Build:
    """Return the build of an expression of the inputs, in the order they are named."""

    def build(lib: Any, given: Inputs) -> Work:
        arguments = list(given.values())
        return lambda: expression(*arguments)

    return build


def gelu(lib: Any, given: Inputs) -> Work:
    """The exact gelu, by erf."""
    function, a = lib.nn.functional.gelu, given["a"]
    return lambda: function(a)


def copy_into(lib: Any, given: Inputs) -> Work:
    """Copy into a tensor that is there: nobody takes fresh memory."""
    a, b = given["a"], given["b"].clone()
    return lambda: b.copy_(a)


def beside_numpy(*workloads: Workload) -> list[Workload]:
    """Return the rows in which NumPy is what norch is held against."""
    options = {"beside": "numpy", "gate": 1.0, "aim": None}
    return [replace(each, name=f"{each.name}, beside NumPy", **options) for each in workloads]


def row(name: str, size: str, expression: Expression, passes: float, **options: Any) -> Workload:
    """Return the row of an expression; `passes` counts the arrays read and written."""
    rows, columns = SIZES[size]
    gate, aim = GATES[size][name]
    options = {"numpy": of_inputs(expression), "build": of_inputs(expression)} | options
    return Workload(
        f"{size} {name}",
        "elementwise",
        normal(**options.pop("shapes", {"a": (rows, columns)})),
        bytes=passes * rows * columns * 4,
        fresh=True,
        gate=gate,
        aim=aim,
        **options,
    )


def sum_of(size: str) -> Workload:
    """Return the row of a sum of all elements."""
    return row("sum", size, lambda a: a.sum(), 1, traffic="read")


def rows_of(size: str) -> list[Workload]:
    """Return the rows of one size."""
    n, m = SIZES[size]
    two, line = {"a": (n, m), "b": (n, m)}, {"a": (n, m), "b": (m,)}
    wide = {"a": (n, 2 * m), "b": (n, 2 * m)}
    total = sum_of(size)
    copied = row("copy", size, lambda a: a.clone(), 2, numpy=of_inputs(np.copy), traffic="copy")
    return [
        *in_both_memories(row("add", size, lambda a, b: a + b, 3, shapes=two)),
        row("add, broadcast row", size, lambda a, b: a + b, 2, shapes=line),
        row("add, every other column", size, lambda a, b: a[:, ::2] + b[:, ::2], 3, shapes=wide),
        *in_both_memories(row("A + B.T", size, lambda a, b: a + b.T, 3, shapes=two)),
        row("exp", size, lambda a: a.exp(), 2, numpy=of_inputs(np.exp), traffic="copy"),
        row("gelu", size, np.copy, 2, build=gelu, numpy=None, traffic="copy"),
        total,
        copied,
        row(
            "copy into a tensor",
            size,
            np.copy,
            2,
            build=copy_into,
            numpy=None,
            shapes=two,
            traffic="copy",
        ),
        *beside_numpy(total, copied),
    ]


def table(rows: int, columns: int) -> tuple[Workload, Workload]:
    """Return the rows of a column plus a line, a million sums: it writes, and hardly reads."""
    add = of_inputs(lambda a, b: a + b)
    workload = Workload(
        f"({rows},1) + (1,{columns})",
        "elementwise",
        normal(a=(rows, 1), b=(1, columns)),
        add,
        gate=1.0,
        aim=0.90,
        numpy=add,
        bytes=4.0 * rows * columns,
        traffic="store",
        fresh=True,
    )
    return in_both_memories(workload)


ONE_READ = replace(
    sum_of("1M"),
    name="1M sum, share of reading",
    threads=1,
    gate=None,
    aim=None,
    numpy=None,
    share=0.95,
)

ROWS = (
    *rows_of("1M"),
    ONE_READ,
    *rows_of("16M"),
    *table(1024, 1024),
    *table(16384, 64),
    *table(256, 4096),
)
