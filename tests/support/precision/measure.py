"""Measures how far numbers lie from exact ones, in units in the last place (ulp) of their dtype.

Only what a normal number of the dtype holds is judged: those below have fewer digits. A library is
norch or PyTorch. The functions are in pointwise.py and rows.py.
"""

import math
from dataclasses import dataclass

import mpmath
import numpy as np

DTYPES = ("float64", "float32", "float16", "bfloat16")
BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
LEAST = {"float64": -1022, "float32": -126, "float16": -14, "bfloat16": -126}  # exponents
SMALLEST = {kind: math.ldexp(1.0, LEAST[kind]) for kind in DTYPES}
LARGEST = {kind: math.ldexp(2 - 2.0 ** (1 - BITS[kind]), 1 - LEAST[kind]) for kind in DTYPES}


@dataclass
class Worst:
    """The largest error so far, and where."""

    ulps: float = 0.0
    where: str = ""

    def add(self, got, exact, kind, where, scale=0.0):
        """Count one number beside the exact one."""
        found = error(got, exact, kind, scale)
        if found > self.ulps:
            self.ulps, self.where = found, f"{where}: {got!r}, exactly {mpmath.nstr(exact, 18)}"


def error(got, exact, kind, scale=0.0):
    """Return the distance in ulp of the exact number, or of `scale` if that is larger."""
    if not SMALLEST[kind] <= abs(exact) <= LARGEST[kind]:
        return 0.0
    if not math.isfinite(got):
        return math.inf
    exponent = math.frexp(float(max(abs(exact), scale)))[1]
    return float(abs(mpmath.mpf(got) - exact) / math.ldexp(1.0, exponent - BITS[kind]))


def is_held(number, kind):
    """Whether a number is 0, or normal in the dtype."""
    return number == 0 or SMALLEST[kind] <= abs(number) <= LARGEST[kind]


def rounded(library, numbers, kind):
    """Return a tensor of these numbers in the dtype."""
    return library.from_numpy(np.array(numbers, dtype=np.float64)).to(getattr(library, kind))


def listed(tensor):
    """Return the numbers of a tensor as nested lists of Python's floats."""
    return tensor.detach().cpu().double().tolist()


def evaluate(library, text, inputs):
    """Return the value of a function's text in one library."""
    words = {"t": library, "F": library.nn.functional}
    return eval(text, words | dict(zip("xyv", inputs, strict=False)))


def name_of(text):
    """Return a function's text as a table shows it."""
    return (
        text.replace("t.special.", "")
        .replace(", reduction='none'", "")
        .replace("F.", "")
        .replace("t.", "")
    )
