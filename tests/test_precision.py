"""No function loses digits: values and gradients beside references of 50 digits, which
tests/support/precision holds, in every dtype, fused and composite, packed and with gaps, on the CPU
and in the simulator.

`make parity` compares the same numbers with PyTorch's.
"""

import mpmath
import pytest
from precision.bounds import BOUNDS, FEW, bounds_of
from precision.measure import DTYPES, Worst, error, name_of
from precision.pointwise import POINTWISE, measure as measure_pointwise
from precision.rows import ROWS, Rows, measure as measure_rows

import norch

FUNCTIONS = {name_of(f.text): f for f in (*POINTWISE, *ROWS)}


@pytest.fixture(scope="module")
def exact():
    """The exact numbers of each function and dtype, worked out once."""
    return {}


def stepped(x):
    """The same numbers with gaps between them."""
    return norch.stack([x, x], -1)[..., 0]


def measured(function, kind, exact, **options):
    """The worst errors of value and gradient where the function keeps its digits."""
    measure = measure_rows if isinstance(function, Rows) else measure_pointwise
    with mpmath.workdps(50):
        known = exact.setdefault((function.text, kind), {})
        return measure(norch, function, kind, known, **options)[2:]


def check(name, kind, worst, bounds):
    for what, found, bound in zip(("value", "gradient"), worst, bounds, strict=True):
        if bound is not None:
            assert found.ulps <= bound, f"{what} of {name}, {kind}: {found.ulps} ulp {found.where}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits(name, exact):
    for kind in DTYPES:
        check(name, kind, measured(FUNCTIONS[name], kind, exact), bounds_of(name, kind))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits_of_elements_with_gaps_between_them(name, exact):
    for kind in DTYPES[:2]:
        worst = measured(FUNCTIONS[name], kind, exact, layout=stepped)
        check(name, kind, worst, bounds_of(name, kind))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits_of_the_composite_reference(name, exact):
    """Not in half precision, where every step is rounded."""
    for kind in DTYPES[:2]:
        with norch.autograd.composite():
            worst = measured(FUNCTIONS[name], kind, exact)
        check(name, kind, worst, bounds_of(name, kind))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits_in_the_simulator(name, exact):
    for kind in DTYPES:
        worst = measured(FUNCTIONS[name], kind, exact, device="cuda-sim")
        check(name, kind, worst, bounds_of(name, kind))


def test_lost_digits_are_found(monkeypatch, exact):
    """The gradient of elu from its result, as it once was."""
    lost = FUNCTIONS["elu(x)"]
    monkeypatch.setattr(
        norch.nn.functional, "elu", lambda x: norch.where(x > 0, x, norch.expm1(x.clamp(max=0)))
    )
    for kind in DTYPES:
        assert measured(lost, kind, exact)[1].ulps > 100


def test_an_error_is_counted_in_units_of_the_last_place():
    one, third = mpmath.mpf(1), mpmath.mpf(1) / 3
    assert error(1 + 2.0**-52, one, "float64") == 1
    assert error(1 + 2.0**-52, one, "float32") == 2.0**-29
    assert error(0.5 - 2.0**-12, mpmath.mpf(0.5) - 2.0**-11, "float16") == 1
    assert error(1 / 3, third, "float64") < 0.5
    assert error(0.0, third, "bfloat16") > 100
    assert error(float("nan"), one, "float32") == float("inf")
    assert error(0.0, mpmath.mpf(2) ** -127, "float32") == 0  # below the normal numbers
    assert error(0.0, mpmath.mpf(2) ** -20, "float32", scale=1.0) == 8
    worst = Worst()
    worst.add(1.0, one, "float32", "here"), worst.add(2.0, one, "float32", "there")
    assert worst.ulps == 2.0**23 and worst.where.startswith("there")


def test_every_bound_belongs_to_a_function_and_is_needed():
    assert BOUNDS.keys() <= FUNCTIONS.keys()
    assert all(max(b or FEW for b in four) > FEW or None in four for four in BOUNDS.values())
