"""Jacobians, Hessians and their products with vectors, against formulas; and users' Functions."""

import pytest

import norch_autograd as norch
from norch_autograd.autograd import Function, function, grad
from norch_extras.autograd_tools import functional

X, Y = norch.tensor([1.0, 2.0, 3.0]), norch.tensor([4.0, 5.0, 6.0])
V, W = norch.tensor([1.0, 10.0, 100.0]), norch.tensor([2.0, 0.0, 1.0])


def test_jacobian_of_several_inputs_and_outputs():
    (xx, xy), (sx, sy) = functional.jacobian(lambda x, y: (x * y, x.sum()), (X, Y))
    assert xx.tolist() == norch.diag(Y).tolist() and xy.tolist() == norch.diag(X).tolist()
    assert sx.tolist() == [1.0] * 3 and sy.tolist() == [0.0] * 3


def test_hessian_of_several_inputs():
    (aa, ab), (ba, bb) = functional.hessian(lambda x, y: (x * x * y).sum(), (X, Y))
    assert aa.tolist() == norch.diag(2 * Y).tolist()
    assert ab.tolist() == ba.tolist() == norch.diag(2 * X).tolist()
    assert bb.tolist() == norch.zeros(3, 3).tolist()


@pytest.mark.parametrize("op", [functional.vjp, functional.jvp])
def test_vjp_and_jvp_of_an_elementwise_function(op):
    value, product = op(lambda x: x**3, X, V)
    assert value.tolist() == [1.0, 8.0, 27.0]
    assert product.tolist() == [3.0, 120.0, 2700.0]


def test_vjp_and_jvp_are_the_two_sides_of_the_jacobian():
    matrix = norch.arange(6.0).reshape(2, 3)
    assert functional.vjp(lambda x: matrix @ x, X, V[:2])[1].tolist() == (V[:2] @ matrix).tolist()
    assert functional.jvp(lambda x: matrix @ x, X, V)[1].tolist() == (matrix @ V).tolist()


def test_jvp_of_several_inputs():
    _, product = functional.jvp(lambda x, y: x * y, (X, Y), (V, W))
    assert product.tolist() == (Y * V + X * W).tolist()


@pytest.mark.parametrize("op", [functional.vhp, functional.hvp])
def test_vhp_and_hvp_are_products_with_the_hessian(op):
    value, product = op(lambda x: (x**3).sum(), X, V)
    assert (value.item(), product.tolist()) == (36.0, (6 * X * V).tolist())


def test_products_of_functions_that_do_not_depend():
    assert functional.vjp(lambda x: x.detach() * 2, X, V)[1].tolist() == [0.0] * 3
    assert functional.jvp(lambda x: x.detach() * 2, X, V)[1].tolist() == [0.0] * 3
    with pytest.raises(RuntimeError, match="strict: the output does not depend on input 0"):
        functional.vjp(lambda x: x.detach() * 2, X, V, strict=True)


def test_products_stay_in_the_graph_on_request():
    x = X.clone().requires_grad_()
    product = functional.vjp(lambda x: x**3, x, V, create_graph=True)[1]
    assert grad(product.sum(), x)[0].tolist() == (6 * X * V).tolist()
    assert not functional.vjp(lambda x: x**3, x, V)[1].requires_grad
    table = functional.jacobian(lambda x: x**3, x, create_graph=True)
    assert grad(table.sum(), x)[0].tolist() == (6 * X).tolist()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: functional.vjp(norch.exp, X), RuntimeError, "v can only be left out"),
        (lambda: functional.vjp(norch.exp, X, V[:2]), RuntimeError, r"expected \[\(3,\)\]"),
        (lambda: functional.vhp(norch.exp, X, V), RuntimeError, "tensor of one element, got"),
        (lambda: functional.jacobian(lambda x: 3, X), TypeError, "what the function returns must"),
        (lambda: functional.jacobian(norch.exp, 3), TypeError, "the inputs must be a Tensor"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---- Function ------------------------------------------------------------------------------------


class NewStyle(Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def test_setup_context_fills_the_context_after_forward():
    x = X.clone().requires_grad_()
    NewStyle.apply(x, 3).sum().backward()
    assert x.grad.tolist() == [3.0] * 3


class AddOne(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad * 10


def test_mark_dirty_returns_the_edited_input_itself():
    x = X.clone().requires_grad_()
    hidden = x * 2
    out = AddOne.apply(hidden)
    assert out is hidden
    assert hidden.grad_fn.name() == "AddOneBackward"
    hidden.sum().backward()
    assert (hidden.tolist(), x.grad.tolist()) == ([3.0, 5.0, 7.0], [20.0] * 3)


def test_mark_dirty_of_a_saved_value_is_found_out():
    x = X.clone().requires_grad_()
    hidden = x * 2
    square = hidden * hidden
    AddOne.apply(hidden)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.sum().backward()


def test_mark_dirty_of_a_leaf_is_refused():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        AddOne.apply(X.clone().requires_grad_())


def test_once_differentiable_refuses_a_second_derivative():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @function.once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return norch.from_numpy(2 * x.detach().numpy() * grad.detach().numpy())

    x = X.clone().requires_grad_()
    assert grad(Square.apply(x).sum(), x)[0].tolist() == [2.0, 4.0, 6.0]
    weight = norch.ones(3, requires_grad=True)
    (first,) = grad(Square.apply(x) @ weight, x, create_graph=True)
    assert first.tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(RuntimeError, match=r"differentiate twice .* @once_differentiable"):
        grad(first.sum(), weight)


def test_none_instead_of_zeros_for_unused_outputs():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            seen.append((a is None, b is None))
            return b * 2

    x = X.clone().requires_grad_()
    Two.apply(x)[1].sum().backward()
    assert (seen, x.grad.tolist()) == ([(True, False)], [2.0] * 3)


def test_jacobian_and_hessian():
    x = norch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=norch.float64)
    matrix = functional.jacobian(lambda x: x.sum(0) * x[0], x)
    assert matrix.shape == (2, 2, 2)
    assert matrix.tolist() == [[[5, 0], [1, 0]], [[0, 8], [0, 2]]]
    second = functional.hessian(lambda x: x.prod(), x)
    assert second[0, 0, 1, 1].item() == 6
    assert second[0, 0, 0, 0].item() == 0
