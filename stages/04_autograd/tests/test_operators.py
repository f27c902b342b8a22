"""Operators beside operands that nobody here knows: Python must be told NotImplemented, so that the
other side is asked."""

import operator

import numpy as np
import pytest

import norch_autograd as norch

BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]
EDITS = [
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "iand",
    "ior",
    "ixor",
    "ilshift",
    "irshift",
]
DUNDERS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
]


class Answers:
    """Answers every operator with which side it stood on."""

    __hash__ = None


for name in DUNDERS:
    setattr(Answers, f"__r{name}__", lambda self, other: "right")
    setattr(Answers, f"__{name}__", lambda self, other: NotImplemented)
for name in COMPARISONS:
    setattr(Answers, f"__{name}__", lambda self, other: "right")


def whole():
    return norch.tensor([1, 2])


@pytest.mark.parametrize("name", BINARY + COMPARISONS + EDITS)
def test_the_other_side_is_asked(name):
    x = whole()
    assert getattr(operator, name)(x, Answers()) == "right"
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("other", [None, {}, object(), 1j], ids=lambda other: type(other).__name__)
@pytest.mark.parametrize("name", BINARY + COMPARISONS[:4] + EDITS)
def test_nobody_knows(name, other):
    for pair in ((whole(), other), (other, whole())):
        with pytest.raises(TypeError):
            getattr(operator, name)(*pair)


@pytest.mark.parametrize("name", BINARY + EDITS)
def test_the_left_side_is_unknown(name):
    with pytest.raises(TypeError, match="unsupported operand"):
        getattr(operator, name)(Answers(), whole())


def test_equality_with_anything_is_an_answer():
    assert (whole() == "a") is False and (whole() != None) is True  # noqa: E711
    assert (whole() == np.array([1, 3])).tolist() == [True, False]
    with pytest.raises(RuntimeError, match="expected a tensor or a number to look for"):
        "a" in whole()  # noqa: B015


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow", "floor_divide", "lt", "eq"])
def test_functions_refuse_in_their_own_name(name):
    with pytest.raises(TypeError, match=rf"^\[{name}\]"):
        getattr(norch, name)(whole(), "a")


@pytest.mark.parametrize("name", ["add", "pow", "floordiv", "mod"])
def test_numpys_values_are_operands(name):
    expected = getattr(operator, name)(whole().numpy(), np.array([1, 3]))
    assert getattr(operator, name)(whole(), np.array([1, 3])).tolist() == expected.tolist()
    assert getattr(operator, name)(whole(), np.float32(2)).shape == (2,)


def test_numpys_arrays_are_not_compared():
    with pytest.raises(TypeError, match="not supported between"):
        whole() < np.array([1, 3])  # noqa: B015
    assert (whole() < np.float32(2)).tolist() == [True, False]


def test_a_number_before_a_tensor_without_dimensions_does_not_promote():
    x = norch.tensor(2.0, dtype=norch.float16)
    for result in (norch.rsub(x, 0.001, alpha=3), norch.sub(0.5, x), norch.add(1, x, alpha=2)):
        assert result.dtype is norch.float16
    assert norch.mul(2.5, norch.tensor(2)).dtype is norch.float32
