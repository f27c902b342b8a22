"""A few lines at a time in both libraries: what no single expression shows."""

import pytest
from cases_programs import PROGRAMS
from programs import check_program


@pytest.mark.parametrize("text", [pytest.param(t, id=t.partition("\n")[0][2:]) for t in PROGRAMS])
def test_program(text):
    check_program(text)
