"""torch.nn.functional beside norch.nn.functional: values, errors, first and second derivatives."""

import pytest
from cases_functional import FUNCTIONAL
from compare import LAYOUTS
from differences import named
from expressions import check_forward, check_gradients

CASES = named(FUNCTIONAL)
DIFFERENTIATED = named(case for case in FUNCTIONAL if "e12" not in case[1])


@pytest.mark.parametrize(("text", "inputs"), CASES)
def test_values(text, inputs):
    check_forward(text, inputs)


@pytest.mark.parametrize(("text", "inputs"), CASES)
def test_in_single_precision(text, inputs):
    check_forward(text, inputs, dtype="float32")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("text", "inputs"), DIFFERENTIATED)
def test_gradients(text, inputs, layout):
    check_gradients(text, inputs, layout)
