"""Every operation, function and module beside PyTorch's: values, dtypes, shapes, derivatives; repr,
state_dict and buffers of modules. What PyTorch refuses, norch refuses with the same class of
exception, and its own clear words.
"""

import pytest
from cases_arguments import ARGUMENTS, REFUSED_ARGUMENTS
from cases_forms import FORMS
from cases_functional import FUNCTIONAL
from cases_modules import MODULES
from cases_pointwise import DTYPE_CASES, DTYPE_PAIRS, EDGE_CASES, POINTWISE
from cases_refused import REFUSED
from cases_shapes import CREATION, EMPTY, SHAPE_CASES
from checks import check_forward, check_gradients, check_module
from compare import LAYOUTS, arrays_of, outcome, same_error, tensor_in
from differences import named

import norch

DTYPES = ("float32", "float16", "bfloat16", "int64", "int32", "uint8", "bool")
CASES = POINTWISE + SHAPE_CASES + FORMS + FUNCTIONAL + ARGUMENTS
INPUTS = {"bool": "b", "int64": "i", "int32": "i", "uint8": "i"}


@pytest.mark.parametrize(("text", "inputs"), named(CASES + EDGE_CASES + EMPTY + CREATION))
def test_values(text, inputs):
    check_forward(text, inputs)


@pytest.mark.parametrize(("text", "inputs"), named(CASES))
def test_in_single_precision(text, inputs):
    check_forward(text, inputs, dtype="float32")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("text", "inputs"), named(c for c in CASES if "e12" not in c[1]))
def test_gradients(text, inputs, layout):
    check_gradients(text, inputs, layout)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("text", "shape"), named(DTYPE_CASES))
def test_dtypes(text, shape, dtype):
    kind = INPUTS.get(dtype, "u" if "acos" not in text else "p")
    check_forward(text.replace("(x", f"(x.to(t.{dtype})"), kind + shape)


@pytest.mark.parametrize("other", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", DTYPE_PAIRS)
def test_pairs_of_dtypes(text, dtype, other):
    text = text.replace("(x, y", f"(x.to(t.{dtype}), (y + 1).to(t.{other})")
    check_forward(text, f"{INPUTS.get(dtype, 'f')}3 {INPUTS.get(other, 'q')}3")


@pytest.mark.parametrize(("text", "inputs"), named(MODULES))
def test_module(text, inputs):
    check_module(text, inputs)


@pytest.mark.parametrize(("text", "inputs"), named(REFUSED + REFUSED_ARGUMENTS))
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
