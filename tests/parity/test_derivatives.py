"""Every differentiable operation and layer of the tables against differences, first and second
derivative, its inputs in reverse order in memory.

Needs no PyTorch, and says in `make test` why the other tests of this folder did not run. The tables
are theirs, and their coverage test keeps them complete. The composite references are stage 4's
affair (test_composite.py).
"""

import importlib.util
import re

import pytest
from cases_forms import LEFT
from cases_functional import FUNCTIONAL
from cases_modules import MODULES
from cases_pointwise import POINTWISE
from cases_shapes import SHAPE_CASES
from compare import arrays_of, evaluate, is_tensor, parts_of, tensor_in

import norch

RANDOM = re.compile(r"rand|dropout\d?d?\(x|bernoulli|multinomial|normal_|uniform_|gumbel|rrelu")
COARSE = re.compile(r"float16|float32|float\(|half\(|detach")  # differences of 1e-6 are lost there
CORNERS = re.compile(r"\b[eht]\d|\b\w0,|,0\b")  # infinities, corners, ties, nothing at all
AT_A_CORNER = re.compile(r"\* 0\b")
# What depends on the layout in memory, leaves the graph, or has a gradient by convention.
OTHERWISE = re.compile(
    r"as_strided|init\.|nn.Parameter\(x|scatter\(x, 0, y, z|scale_grad_by_freq|padding_idx|max_norm"
    r"|batch_norm\(x, y, z|pinv\(x, (0|r|a)|pinverse\(0"  # what leaves singular values out
)
# Layers of many layers, each of which is looked at by itself too: seconds each.
DEEP = re.compile(r"Transformer\(|TransformerDecoder\(|bidirectional=True")
REFUSED = 120  # cases of the tables that ask for an error; a function that breaks makes it more
NO_LAPACK = "needs LAPACK, which"  # what is said where OpenBLAS is not installed
refused = []
WITHIN = {"atol": 1e-4, "rtol": 2e-3, "fast_mode": True, "nondet_tol": 1e-12}


def cases(*tables):
    """Return the cases with a derivative that differences can find, one of each expression."""
    texts = {case[0]: case for table in reversed(tables) for case in reversed(table)}
    return [
        pytest.param(*case, id=text, marks=[pytest.mark.long] * bool(DEEP.search(text)))
        for text, case in sorted(texts.items())
        if not CORNERS.search(case[1])
        and not any(kind.search(text) for kind in (RANDOM, COARSE, AT_A_CORNER, OTHERWISE))
    ]


def check(function, inputs):
    """Compare the derivatives of a function, if it has any at these inputs."""
    try:
        outputs = function(*inputs)
    except (RuntimeError, TypeError, ValueError, IndexError) as refusal:
        if NO_LAPACK not in str(refusal):
            refused.append(str(refusal))
        pytest.skip(f"not for such inputs: {refusal}")
    if not any(x.requires_grad for x in inputs) or not any(p.requires_grad for p in outputs):
        return
    if not all(p.isfinite().all() for p in outputs):
        pytest.skip("infinite or NaN at these inputs")
    try:
        assert norch.gradcheck(function, inputs, **WITHIN)
        assert norch.gradgradcheck(function, inputs, **WITHIN)
    except RuntimeError as refusal:
        if NO_LAPACK not in str(refusal):
            raise
        pytest.skip(str(refusal))


def learning(arrays):
    """Return tensors of some arrays; those of floats want gradients."""
    tensors = [tensor_in(norch, array, "permuted") for array in arrays]
    return [x.detach().requires_grad_(x.is_floating_point()) for x in tensors]


def floats(value):
    return tuple(p for p in parts_of(value) if is_tensor(p) and p.is_floating_point())


@pytest.mark.parametrize(("text", "inputs"), cases(POINTWISE, SHAPE_CASES, LEFT, FUNCTIONAL))
def test_operation(text, inputs):
    check(
        lambda *tensors: floats(evaluate(norch, text, tensors)), learning(arrays_of(inputs, text))
    )


@pytest.mark.parametrize(("text", "inputs"), cases(MODULES))
def test_layer(text, inputs):
    """The parameters are inputs too."""
    norch.manual_seed(3)
    module = evaluate(norch, text, []).double()
    places = [
        (owner, name)
        for owner in module.modules()
        for name, p in owner._parameters.items()
        if p is not None and p.requires_grad
    ]
    parameters = [owner._parameters[name].detach().clone() for owner, name in places]
    tensors = learning(arrays_of(inputs, text))

    def function(*values):
        for (owner, name), value in zip(places, values[len(tensors) :], strict=True):
            owner._parameters[name] = value
        return floats(module(*values[: len(tensors)]))

    check(function, [*tensors, *(p.requires_grad_() for p in parameters)])


def test_no_more_cases_are_refused_than_ask_for_it():
    """The last test: a function that raises where it did not is no case to leave out."""
    assert len(refused) <= REFUSED, refused


def test_pytorch_is_here():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here: `make parity` says how to compare with it")
