"""More gradients that others got wrong: shapes, broadcasting, products, windows, conventions."""

import math

import numpy as np
import pytest
from autograd_checks import draw, permuted

import norch_autograd as norch

inf, nan = math.inf, math.nan
T = norch.tensor([2, 0, -100])
WEIGHTS = norch.tensor(draw((4,), 0.5, 2.0))

# the mistake, a function, the shapes of its arguments
MISTAKES = [
    ("sum of dim 1 transposed", lambda x: x.sum(1) ** 2, [(3, 2)]),
    ("mean of dim -1 not divided", lambda x: x.mean(-1) ** 2, [(3, 2)]),
    ("amax of dim 1 crashes", lambda x: x.amax(1), [(3, 2)]),
    ("amax with keepdim False", lambda x: x.amax((0, 2)), [(2, 3, 2)]),
    ("max of dim 0", lambda x: x.max(0).values ** 2, [(3, 2)]),
    ("min of dim 1", lambda x: x.min(1).values ** 2, [(3, 2)]),
    ("var without dim", lambda x: x.var(), [(3, 2)]),
    ("fancy indexing with repeated indices", lambda x: x[[0, 0, 1], [1, 1, 0]] ** 2, [(2, 2)]),
    ("overlapping windows of max_pool2d", lambda x: norch.max_pool2d(x, 2, 1) ** 2, [(1, 3, 3)]),
    ("number to the power of a tensor", lambda x: 3.0**x, [(3,)]),
    ("batched matmul", lambda a, b: a @ b, [(2, 2, 3), (2, 3, 2)]),
    ("matmul with a batch that is broadcast", lambda a, b: a @ b, [(2, 1, 2, 3), (4, 3, 2)]),
    ("vector times matrix", lambda a, b: a @ b, [(3,), (3, 2)]),
    ("matrix times vector", lambda a, b: a @ b, [(2, 3), (3,)]),
    ("vector times batch", lambda a, b: a @ b, [(3,), (2, 3, 2)]),
    ("batch times vector", lambda a, b: a @ b, [(2, 2, 3), (3,)]),
    (
        "alpha and beta of addmm",
        lambda *t: norch.addmm(*t, beta=2, alpha=3),
        [(2,), (2, 3), (3, 2)],
    ),
    ("expand(-1)", lambda x: x.expand(4, -1, 2) ** 2, [(3, 1)]),
    ("stack(dim)", lambda a, b: norch.stack([a, b, a], 1) ** 2, [(2, 3), (2, 3)]),
    ("a one-element divisor", lambda a, b: a / b, [(2, 3), (1,)]),
    ("a divisor without dimensions", lambda a, b: a / b, [(2, 3), ()]),
    ("broadcast subtraction", lambda a, b: (a - b) ** 2, [(3, 1), (2,)]),
    ("cross-entropy without its upstream", lambda x: 2 * norch.cross_entropy(x, T), [(3, 4)]),
    ("class weights in a mean", lambda x: norch.cross_entropy(x, T, WEIGHTS), [(3, 4)]),
    ("softmax of dim 0", lambda x: norch.softmax(x, 0) ** 2, [(3, 2)]),
    ("clamp", lambda x: x.clamp(-0.7, 0.8) ** 2, [(3, 2)]),
]


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case[0])
def test_gradients_equal_differences(case):
    _, function, shapes = case
    tensors = [permuted(draw(shape, seed=k)) for k, shape in enumerate(shapes)]
    assert norch.gradcheck(function, tensors)


# where the derivative is a convention: the mistake, function, input, the gradient PyTorch gives
CONVENTIONS = [
    ("maximum at a tie", lambda x: x.maximum(norch.tensor([1.0, 0.0])), [1.0, 2.0], [0.5, 1.0]),
    ("minimum at a tie", lambda x: x.minimum(norch.tensor([1.0, 3.0])), [1.0, 2.0], [0.5, 1.0]),
    ("amax at a tie", lambda x: x.amax(), [3.0, 3.0, 1.0], [0.5, 0.5, 0.0]),
    ("max of all at a tie", lambda x: x.max(), [3.0, 3.0, 1.0], [0.5, 0.5, 0.0]),
    ("max of a dim at a tie", lambda x: x.max(0).values, [3.0, 3.0, 1.0], [1.0, 0.0, 0.0]),
    ("max of all at NaN", lambda x: x.max(), [1.0, nan, nan], [0.0, 0.5, 0.5]),
    ("min of all at NaN", lambda x: x.min(), [1.0, nan, 2.0], [0.0, 1.0, 0.0]),
    ("amax at NaN", lambda x: x.amax(), [1.0, nan], [nan, nan]),
    ("inf norm at NaN", lambda x: x.norm(inf), [1.0, nan, 2.0], [0.0, 0.0, 0.0]),
    ("inf norm at a tie", lambda x: x.norm(inf), [1.0, -2.0, 2.0], [0.0, -0.5, 0.5]),
    ("-inf norm at a tie", lambda x: x.norm(-inf), [1.0, 2.0, -1.0], [0.5, 0.0, -0.5]),
    ("norm at 0", lambda x: x.norm(), [0.0, 0.0], [0.0, 0.0]),
    ("norm of power 3 at 0", lambda x: x.norm(3), [0.0, 0.0], [0.0, 0.0]),
    ("norm of power 1.5 at 0", lambda x: x.norm(1.5), [0.0, 0.0], [0.0, 0.0]),
    ("inf norm at 0", lambda x: x.norm(inf), [0.0, 0.0], [0.0, 0.0]),
    ("abs at 0", lambda x: x.abs(), [0.0, -2.0], [0.0, -1.0]),
    ("square at 0", lambda x: x**2, [0.0, 3.0], [0.0, 6.0]),
    ("sqrt at 0", lambda x: x.sqrt(), [0.0, 4.0], [inf, 0.25]),
    ("relu at 0", lambda x: x.relu(), [0.0, 2.0], [0.0, 1.0]),
    ("clamp at its bounds", lambda x: x.clamp(0, 1), [0.0, 1.0, 2.0], [1.0, 1.0, 0.0]),
    ("std of equal elements", lambda x: x.std(), [2.0, 2.0], [0.0, 0.0]),
    ("sinc at 0", norch.sinc, [0.0, 1.0], [0.0, -1.0]),
    ("sinc beside 0", norch.sinc, [1e-3, 1e-40, 0.25], [-3.28986504e-3, 0.0, -0.7728382]),
]


@pytest.mark.parametrize("case", CONVENTIONS, ids=lambda case: case[0])
def test_gradients_where_the_derivative_is_a_convention(case):
    _, function, values, expected = case
    x = norch.tensor(values, requires_grad=True)
    function(x).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), expected, rtol=1e-6, atol=1e-6)


def test_a_norm_of_halves_is_summed_in_float32_and_nan_is_not_0():
    halves = norch.tensor([1.0, 1.0, 200.0], dtype=norch.float16)
    assert halves.norm(3).item() == 200.0
    assert norch.tensor([1.0, 0.0, nan]).norm(0).item() == 2.0


def test_sinc_of_halves_does_not_overflow_in_between():
    assert norch.sinc(norch.tensor([60000.0], dtype=norch.float16)).abs().item() < 1e-5


def test_einsum_of_sizes_0():
    assert norch.einsum("ij,jk", norch.ones(0, 0), norch.ones(0, 0)).shape == (0, 0)
    assert norch.einsum("bij,bjk->bik", norch.ones(0, 1, 1), norch.ones(0, 1, 0)).shape == (0, 1, 0)
    assert norch.einsum("ij,jk", norch.ones(2, 0), norch.ones(1, 3)).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("sizes", [(2, 3, 0, 5), (2, 3, 4, 0), (2, 0, 4, 5), (2, 0, 0, 0)])
def test_linear_backward_of_sizes_0(sizes):
    batch, rows, inputs, outputs = sizes
    x, w, b = (
        norch.ones(*shape, requires_grad=True)
        for shape in ((batch, rows, inputs), (outputs, inputs), (outputs,))
    )
    norch.linear(x, w, b).sum().backward()
    assert x.grad.tolist() == norch.full_like(x, outputs).tolist()
    assert w.grad.tolist() == b.grad.reshape(-1, 1).expand(outputs, inputs).tolist()
    assert b.grad.tolist() == [batch * rows] * outputs


def test_all_bits_leave_by_a_negative_shift_of_any_size():
    bits = norch.tensor([1, -1, -200, -(2**62)])
    assert (norch.tensor([5]) >> bits).tolist() == [2, 0, 0, 0]
    assert (norch.tensor([-5]) >> bits).tolist() == [-3, -1, -1, -1]


def test_a_view_of_a_tensor_that_began_to_want_gradients_later_is_not_edited_silently():
    x = norch.ones(4)
    view = x[:2]
    x.requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        view.mul_(2)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        view.exp_()
    with norch.no_grad():
        view.mul_(2)
    assert x.tolist() == [2.0, 2.0, 1.0, 1.0]
