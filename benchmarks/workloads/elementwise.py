"""One pass over a million elements (in the last cache) and over sixteen million (in memory).

The bytes of a row are what must be read and written once; whatever a library moves on top of that,
page faults included, shows as a smaller rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workload import Inputs, Work, Workload, normal, tensor
from benchmarks.workloads import kernels

SIZES = {"1M": (1024, 1024), "16M": (4096, 4096)}
Expression = Callable[..., Any]


def on_tensors(expression: Expression) -> Callable[[Any, Inputs], Work]:
    """Return the build of an expression of the inputs, in the order they are named."""

    def build(lib: Any, given: Inputs) -> Work:
        arguments = [tensor(lib, array) for array in given.values()]
        return lambda: expression(*arguments)

    return build


def on_arrays(expression: Expression) -> Callable[[Any, Inputs], Work]:
    """Return the build of an expression in NumPy."""

    def build(lib: Any, given: Inputs) -> Work:
        arguments = list(given.values())
        return lambda: expression(*arguments)

    return build


def gelu(lib: Any, given: Inputs) -> Work:
    """The exact gelu, by erf."""
    a = tensor(lib, given["a"])
    function = lib.nn.functional.gelu
    return lambda: function(a)


# Gate and aim by row and size; what is not named has none.
GATES = {
    "1M": {
        "add": (1.05, 0.90),
        "add, broadcast row": (1.05, 0.90),
        "sum": (1.05, 0.90),
        "exp": (0.35, 0.25),
        "gelu": (1.0, 0.6),
    },
    "16M": {
        "add": (0.35, 0.15),
        "add, broadcast row": (0.35, 0.15),
        "add, every other column": (0.35, 0.15),
        "A + B.T": (0.25, 0.12),
        "exp": (0.35, 0.15),
        "gelu": (0.35, 0.15),
    },
}


def row(name: str, size: str, expression: Expression, passes: float, **options: Any) -> Workload:
    """Return the row of an expression; `passes` counts the arrays read and written."""
    rows, columns = SIZES[size]
    gate, aim = GATES[size].get(name, (None, None))
    options = {"numpy": on_arrays(expression), "build": on_tensors(expression)} | options
    return Workload(
        f"{size} {name}",
        "elementwise",
        normal(**options.pop("shapes", {"a": (rows, columns)})),
        bytes=passes * rows * columns * 4,
        gate=gate,
        aim=aim,
        **options,
    )


def rows_of(size: str) -> list[Workload]:
    """Return the rows of one size."""
    n, m = SIZES[size]
    two, line = {"a": (n, m), "b": (n, m)}, {"a": (n, m), "b": (m,)}
    wide = {"a": (n, 2 * m), "b": (n, 2 * m)}
    gelus = {"build": gelu, "arrays": kernels.gelu, "numpy": None}
    needs = {"needs": ("nn.functional.gelu",), "kernels": ("gelu",)}
    smooth = row("gelu", size, np.copy, 2, **gelus, **needs)
    return [
        row("add", size, lambda a, b: a + b, 3, shapes=two),
        row("add, broadcast row", size, lambda a, b: a + b, 2, shapes=line),
        row("add, every other column", size, lambda a, b: a[:, ::2] + b[:, ::2], 3, shapes=wide),
        row("A + B.T", size, lambda a, b: a + b.T, 3, shapes=two),
        row("exp", size, lambda a: a.exp(), 2, numpy=on_arrays(np.exp)),
        smooth,
        kernels.alone(smooth),
        row("sum", size, lambda a: a.sum(), 1),
        row("copy", size, lambda a: a.clone(), 2, numpy=on_arrays(np.copy)),
    ]


ROWS = (*rows_of("1M"), *rows_of("16M"))
