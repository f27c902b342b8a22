"""The errors of values and gradients beside PyTorch's: a few units in the last place, or no more
than twice as many as PyTorch has. Exact numbers and functions are those of tests/support/precision.
"""

import math

import mpmath
import pytest
from precision.__main__ import errors
from precision.measure import DTYPES, name_of
from precision.pointwise import POINTWISE, measure as measure_pointwise
from precision.rows import ROWS, measure as measure_rows

import norch

FEW = 4
CASES = [(f, measure_pointwise) for f in POINTWISE] + [(f, measure_rows) for f in ROWS]


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize(("function", "measure"), CASES, ids=[name_of(f.text) for f, _ in CASES])
def test_no_worse_than_twice_pytorchs_error(function, measure, kind):
    import torch

    known = {}
    with mpmath.workdps(50):
        ours = measure(norch, function, kind, known)[:2]
        theirs = errors(torch, measure, function, kind, known)
    for what, a, b in zip(("value", "gradient"), ours, theirs, strict=True):
        if math.isnan(b.ulps):
            continue  # PyTorch has no kernel for this dtype
        assert a.ulps <= max(FEW, 2 * b.ulps), f"{what}: {a.ulps} ulp {a.where}; PyTorch {b.ulps}"
