"""A few lines at a time in both libraries: what no single expression shows."""

import cases_distributions
import cases_layers
import cases_programs
import cases_training
import pytest
from programs import check_program

PROGRAMS = [
    *cases_programs.PROGRAMS,
    *cases_layers.PROGRAMS,
    *cases_training.PROGRAMS,
    *cases_distributions.PROGRAMS,
]


@pytest.mark.parametrize("text", [pytest.param(t, id=t.partition("\n")[0][2:]) for t in PROGRAMS])
def test_program(text):
    check_program(text)
