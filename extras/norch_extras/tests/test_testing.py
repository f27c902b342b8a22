"""assert_close, and the old name of tensors with gradients."""

import pytest

import norch_autograd as norch
from norch_extras.legacy import FloatTensor, LongTensor, set_default_tensor_type
from norch_extras.legacy.tensors import Variable
from norch_extras.testing import assert_close

ONE = norch.tensor([1.0, 2.0])
NAN = norch.tensor([float("nan")])


@pytest.mark.parametrize(
    ("actual", "expected", "options"),
    [
        (ONE, ONE + 1e-7, {}),
        (ONE, norch.tensor([1.0, 2.0], requires_grad=True), {}),
        (ONE, ONE + 0.1, {"rtol": 0.0, "atol": 0.2}),
        (ONE, ONE.double(), {"check_dtype": False}),
        (NAN, NAN, {"equal_nan": True}),
        ([1, (2.0, ONE)], [1, (2.0, ONE)], {}),
        ({"a": ONE.half()}, {"a": ONE.half() + 1e-3}, {}),
        (norch.ones(2, 3).t(), norch.ones(3, 2), {}),
    ],
)
def test_close(actual, expected, options):
    assert_close(actual, expected, **options)


@pytest.mark.parametrize(
    ("actual", "expected", "options", "error", "message"),
    [
        (ONE, ONE + 0.1, {}, AssertionError, r"2 of 2 elements are not close, by up to 0.1"),
        (ONE, ONE.double(), {}, AssertionError, "the dtypes differ"),
        (ONE, ONE[:1], {}, AssertionError, "the shapes differ"),
        (NAN, NAN, {}, AssertionError, "1 of 1"),
        (norch.ones(2, 3).t(), norch.ones(3, 2), {"check_stride": True}, AssertionError, "strides"),
        ([1, 2], [1, 3], {}, AssertionError, r"at \[1\]: 1 of 1"),
        ([1], [1, 2], {}, AssertionError, "the lengths differ: 1 and 2"),
        ({"a": 1}, {"b": 1}, {}, AssertionError, "the keys differ"),
        ({"a": ONE}, {"a": ONE + 1}, {}, AssertionError, r"at \['a'\]"),
        (1, 2, {"msg": "mine"}, AssertionError, "^mine$"),
        (1, 2, {"msg": lambda text: f"so: {text}"}, AssertionError, r"^so: \[assert_close\]"),
        (ONE, ONE, {"rtol": 0.1}, ValueError, "both rtol and atol"),
        (ONE, object(), {}, TypeError, "a object cannot be compared"),
    ],
)
def test_not_close(actual, expected, options, error, message):
    with pytest.raises(error, match=message):
        assert_close(actual, expected, **options)


def test_a_variable_is_a_leaf_of_the_same_numbers():
    x = norch.ones(2, requires_grad=True)
    leaf = Variable(x * 2, requires_grad=True)
    assert leaf.is_leaf and leaf.requires_grad and isinstance(leaf, Variable)
    assert isinstance(x, Variable) and not isinstance([1], Variable)
    assert not Variable(x).requires_grad and Variable(x).data_ptr() == x.data_ptr()
    with pytest.raises(TypeError, match="a Tensor is expected, not a list"):
        Variable([1.0])


def test_old_scripts_give_a_number_before_the_tensors_and_are_told():
    x, y = norch.ones(2), norch.tensor([1.0, 2.0])
    with pytest.warns(UserWarning, match=r"\[add_\] a number before the tensors is deprecated"):
        assert x.add_(3, y).tolist() == [4, 7]
    with pytest.warns(UserWarning, match=r"\[addcdiv_\] "):
        assert x.addcdiv_(-2, y, y).tolist() == [2, 5]
    for wrong in (lambda: x.add_(y, 2), lambda: x.sub(1, y, y), lambda: x.add(1, y, alpha=2)):
        with pytest.raises(TypeError, match="expected 1 beside the input, and alpha= by name, got"):
            wrong()
    with pytest.raises(TypeError, match="expected 2 beside the input, and value= by name, got T"):
        x.addcdiv(y, y, 2)
    assert x.tolist() == [2, 5]


def test_old_types_make_tensors_of_a_shape_and_choose_the_default():
    shape = norch.ones(2, 3).size()
    for made in (norch.Tensor(shape), LongTensor(shape), norch.ones(1).new(shape)):
        assert made.shape == shape
    assert norch.Tensor((2, 3)).tolist() == [2, 3]
    try:
        set_default_tensor_type("torch.DoubleTensor")
        assert norch.ones(1).dtype is norch.Tensor(2).dtype is norch.float64
        for wrong in (LongTensor, "torch.cuda.FloatTensor", 3, [FloatTensor]):
            with pytest.raises(TypeError, match="expected one of FloatTensor, DoubleTensor, Half"):
                set_default_tensor_type(wrong)
    finally:
        set_default_tensor_type(FloatTensor)
