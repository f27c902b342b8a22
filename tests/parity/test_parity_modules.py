"""Every module beside PyTorch's: repr, state_dict keys, outputs, buffers, gradients."""

import pytest
from cases_modules import MODULES
from differences import named
from modules import check_module


@pytest.mark.parametrize(("text", "inputs"), named(MODULES))
def test_module(text, inputs):
    check_module(text, inputs)
