"""What PyTorch refuses, norch refuses with the same class of exception, and its own clear words."""

import pytest
from cases_refused import REFUSED
from compare import arrays_of, outcome, same_error, tensor_in
from differences import named

import norch


@pytest.mark.parametrize(("text", "inputs"), named(REFUSED))
def test_refusal(text, inputs):
    import torch

    sides = []
    for library in (norch, torch):
        tensors = [tensor_in(library, array) for array in arrays_of(inputs, text)]
        sides.append(outcome(library, text, tensors))
    (_, ours), (_, theirs) = sides
    if theirs is None:
        assert ours is None, f"{text}: norch refuses ({ours}), PyTorch does not"
        return
    same_error(ours, theirs, text)
