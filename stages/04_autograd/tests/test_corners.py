"""Operations at their corners: no dimensions, no elements, whole numbers, words for arguments.

Each line was wrong, or refused, beside PyTorch's own samples (tests/parity/test_opinfo.py).
"""

import numpy as np
import pytest

import norch_autograd as norch

NONE = norch.tensor([], dtype=norch.int64)
X = norch.tensor([1.0, 2.0, 3.0])
IMAGE = norch.arange(16).reshape(1, 4, 4)

VALUES = [
    ("flip(X, dims=(0,))", [3, 2, 1]),
    ("X.reshape(shape=(3, 1))", [[1], [2], [3]]),
    ("X.view(size=(1, 3))", [[1, 2, 3]]),
    ("X.expand(size=(2, 3))", [[1, 2, 3]] * 2),
    ("X.reshape(1, 3).permute(dims=(1, 0))", [[1], [2], [3]]),
    ("X.repeat(repeats=(2,))", [1, 2, 3, 1, 2, 3]),
    ("tile(X, dims=(2,))", [1, 2, 3, 1, 2, 3]),
    ("gather(tensor(5.0), 0, tensor([0]))", [5]),
    ("gather(X, 0, tensor(1))", 2),
    ("gather(X, 0, NONE.byte().reshape(2, 0))", [[], []]),
    ("scatter(X, 0, NONE.byte(), NONE.float())", [1, 2, 3]),
    ("scatter(tensor(1.0), 0, tensor(0), tensor(7.0))", 7),
    ("scatter_add(tensor(1.0), 0, tensor([0]), tensor([7.0]))", 8),
    ("scatter_reduce(X, 0, NONE, NONE.float(), 'prod')", [1, 2, 3]),
    ("index_select(tensor(5.0), 0, tensor([0]))", 5),
    ("index_add(tensor(5.0), 0, tensor([0]), tensor(2.0), alpha=-1)", 3),
    ("take_along_dim(X, tensor([-1, 0]), 0)", [3, 1]),
    ("unique(ones(2, 0), dim=1)", [[], []]),
    ("linspace(4.9, -2.7, 5, dtype=int64)", [4, 2, 1, 0, -2]),
    ("linspace(tensor(0.1), 1, 2, dtype=float64)[0] - tensor(0.1).double()", 0),
    ("tensor([True, True]).sum_to_size(1)", [2]),
    ("max_pool2d(IMAGE, 2)", [[[5, 7], [13, 15]]]),
    ("max_pool2d(-IMAGE, 2, padding=1)", [[[0, -1, -3], [-4, -5, -7], [-12, -13, -15]]]),
    ("ops.avg_pool2d(IMAGE, 2)", [[[2, 4], [10, 12]]]),
    ("conv2d(IMAGE[None], ones(1, 1, 2, 2, dtype=int64))[0, 0, 0]", [10, 14, 18]),
    ("norch.more.im2col(IMAGE > 14, 4)", [[False]] * 15 + [[True]]),
    ("zeros(5, 5, 0) @ zeros(0, 2)", np.zeros((5, 5, 2)).tolist()),
    ("normal(3.0, 0.0, (2,), dtype=float64)", [3, 3]),
]
REFUSED = [
    ("roll(tensor(1.0), 1, 0)", IndexError, "[roll] dim 0"),
    ("rot90(X)", RuntimeError, "[rot90] expected at least 2"),
    ("linspace(0, 1, 2.5)", TypeError, "[linspace] steps must be a whole number"),
    ("linspace(0, 1, tensor(2.5))", TypeError, "[linspace] only a tensor of one whole number"),
    ("X.to(uint8).masked_fill(X > 0, -1.5)", RuntimeError, "[masked_fill] -1.5 does not fit"),
    ("device(1, 0)", TypeError, "[device] a device is named by a string"),
    ("linspace(ones(2), 1, 2)", RuntimeError, "[linspace] start and end are numbers"),
    ("max_pool1d(zeros(0, 10), 1)", RuntimeError, "[max_pool"),
    ("multinomial(ones(2, 2, 2), 1)", RuntimeError, "[multinomial] expected weights"),
    ("narrow(X, 0, tensor([0, 1]), 1)", RuntimeError, "[narrow] start must be"),
    ("narrow(X, 0, tensor(True), 1)", RuntimeError, "[narrow] start must be"),
    ("fmax(2, X)", TypeError, "[fmax] expected a Tensor"),
    ("xlogy(2, 3)", TypeError, "[xlogy] expected a Tensor"),
    ("hsplit(X, 'a')", TypeError, "[hsplit] expected a number of sections"),
    ("hstack([])", RuntimeError, "[hstack] expected a non-empty list"),
    ("linalg.cross(X, X, dim=2)", IndexError, "[cross] dim 2 is out of range"),
    ("unique(zeros(2, 0), dim=0)", RuntimeError, "[unique] shape (2, 0)"),
    ("conv2d(IMAGE[None], ones(1, 1, 2, 2, dtype=int64), ones(1))", TypeError, "[conv2d]"),
]


def value_of(text):
    names = {name: getattr(norch, name) for name in dir(norch) if not name.startswith("_")}
    return eval(text, names | globals())


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=str)
def test_values(text, expected):
    assert value_of(text).tolist() == expected


@pytest.mark.parametrize(("text", "kind", "words"), REFUSED, ids=str)
def test_refusals(text, kind, words):
    with pytest.raises(kind) as raised:
        value_of(text)
    assert str(raised.value).startswith(words)


def test_the_zeroth_power_keeps_the_graph():
    x = norch.ones(2, 2, requires_grad=True)
    norch.linalg.matrix_power(x, 0).sum().backward()
    assert x.grad.tolist() == [[0, 0], [0, 0]]


def test_nothing_gathered_sends_no_gradient():
    x = norch.ones(3, requires_grad=True)
    norch.gather(x, 0, NONE).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_made_with_requires_grad():
    assert norch.randint(3, (2,), requires_grad=False).requires_grad is False
    assert norch.normal(0.0, 1.0, (2,), requires_grad=True).is_leaf


def test_a_product_over_no_feature_has_gradients():
    x, w = norch.ones(2, 3, 0, requires_grad=True), norch.ones(0, 4, requires_grad=True)
    (x @ w).sum().backward()
    assert x.grad.shape == (2, 3, 0) and w.grad.shape == (0, 4)


def test_gradients_of_one_element_are_summed_in_float32():
    """In bfloat16 itself, 256 + 1 is 256."""
    x = norch.ones(1, dtype=norch.bfloat16, requires_grad=True)
    x.index_select(0, norch.zeros(1000, dtype=norch.int64)).sum().backward()
    assert x.grad.item() == 1000
    x.grad = None
    x.gather(0, norch.zeros(1000, dtype=norch.int64)).sum().backward()
    assert x.grad.item() == 1000


def test_hypot_of_the_smallest_numbers_has_a_slope():
    x = norch.tensor([6e-8], dtype=norch.float16, requires_grad=True)
    norch.hypot(x, norch.zeros(1, dtype=norch.float16)).backward()
    assert x.grad.item() == 1  # 1 / 6e-8 is too large for float16


def test_the_gradient_of_an_exponent_has_its_dtype():
    for dtype in (norch.float16, norch.bfloat16, norch.float64):
        x = norch.tensor([2.0], dtype=dtype, requires_grad=True)
        for base in (norch.tensor([3]), norch.tensor([True])):
            assert norch.autograd.grad(base**x, x)[0].dtype is dtype


def test_the_gradient_of_a_variance_of_one_element_has_its_dtype():
    x = norch.ones(1, dtype=norch.float16, requires_grad=True)
    for name in ("var", "std"):
        (slope,) = norch.autograd.grad(getattr(norch, name)(x), x)
        assert slope.dtype is norch.float16 and slope.isnan().all()


def test_a_view_from_nothing_has_a_gradient_of_nothing():
    x = norch.ones(8)[:0].requires_grad_()
    (slope,) = norch.autograd.grad(norch.as_strided(x, (2,), (1,), 1).sum(), x)
    assert slope.shape == (0,)


@pytest.mark.parametrize("dtype", [norch.int8, norch.uint8, norch.int32, norch.int64])
@pytest.mark.parametrize("op", [norch.atan2, lambda a, b: norch.atan2(b, a), norch.pow])
def test_derivatives_beside_whole_numbers_are_those_beside_floating_ones(op, dtype):
    """A square, or the least number less one, does not fit into the dtype of the whole numbers."""
    limits = norch.iinfo(dtype)
    whole = norch.tensor([limits.min, limits.max, 100], dtype=dtype)
    x = norch.tensor([1.5, 0.25, 0.75], dtype=norch.float64, requires_grad=True)
    (found,) = norch.autograd.grad(op(x, whole).sum(), x)
    (expected,) = norch.autograd.grad(op(x, whole.double()).sum(), x)
    assert norch.allclose(found, expected, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("p", [1.5, 3, 4, 0.5, -1])
def test_norm_of_one_element_is_its_size_with_slope_one(p):
    x = norch.tensor([[-1e30], [1e-30]], requires_grad=True)
    y = norch.norm(x, p, 1)
    assert y.tolist() == x.detach().abs()[:, 0].tolist()
    assert norch.autograd.grad(y.sum(), x)[0].tolist() == [[-1.0], [1.0]]


@pytest.mark.parametrize("arguments", [(True,), (False, norch.float64), ("cpu", True)])
def test_a_flag_of_to_comes_behind_what_it_is_about(arguments):
    """PyTorch takes the first for the dtype bool."""
    with pytest.raises(TypeError, match=r"\[to\] argument \d is .*: expected to\(device, dtype"):
        norch.ones(2).to(*arguments)


def test_the_first_flag_of_to_is_non_blocking_and_the_second_copy():
    x = norch.ones(2)
    assert x.to(norch.float32, True) is x
    assert x.to(x, True, False) is x
    assert x.to(norch.float32, False, True) is not x
