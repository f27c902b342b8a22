"""Corners in which a comparison with PyTorch, call by call, once found a difference."""

import math

import pytest

import norch_autograd as norch

X = [0.0, 2.0, 3.0]


def leaf(values):
    return norch.tensor(values, dtype=norch.float64, requires_grad=True)


def slope(function, values):
    x = leaf(values)
    return norch.grad(function(x).sum(), x)[0].tolist()


def bend(function, values):
    """The gradient of the gradient's sum."""
    x = leaf(values)
    (first,) = norch.grad(function(x).sum(), x, create_graph=True)
    return norch.grad(first.sum(), x)[0].tolist()


@pytest.mark.parametrize(("call", "words"), [
    (lambda x: norch.exp(3), r"\[exp\] expected a Tensor, got int"),
    (lambda x: norch.sum([1.0]), r"\[sum\] expected a Tensor, got list"),
    (lambda x: norch.maximum(x, 2), r"\[maximum\] expected a Tensor, got int"),
    (lambda x: x @ 3, r"\[matmul\] expected a Tensor, got int"),
    (lambda x: norch.mm(x, [[1.0]]), r"\[mm\] expected a Tensor, got list"),
    (lambda x: norch.add(1, 2), r"\[add\] expected a Tensor, got int and int"),
    (lambda x: norch.cat(x), r"\[cat\] expected a list of tensors"),
    (lambda x: norch.hstack(5), r"\[hstack\] expected a list of tensors, got int"),
    (lambda x: norch.vstack([1, 2]), r"\[vstack\] expected a Tensor, got int"),
    (lambda x: norch.lstm_cell(x, 3, x, x), r"\[lstm_cell\] hx: expected tuple"),
    (lambda x: norch.cat([x, 1]), r"\[cat\] expected a Tensor, got int"),
    (lambda x: x.prod((0, 1)), r"\[prod\] dim must be a whole number, got tuple"),
    (lambda x: x.backward([1.0]), r"\[backward\] expected a Tensor, got list"),
])  # fmt: skip
def test_what_is_no_tensor_is_refused_in_words(call, words):
    with pytest.raises(TypeError, match=words):
        call(norch.ones(2, 2, requires_grad=True))


@pytest.mark.parametrize(("function", "expected"), [
    (norch.add, [2.0, 4.0, 5.0]), (norch.sub, [2.0, 0.0, -1.0]), (norch.mul, [0.0, 4.0, 6.0]),
    (norch.div, [math.inf, 1.0, 2 / 3]),
])  # fmt: skip
def test_a_number_may_come_first(function, expected):
    x = leaf(X)
    result = function(2, x)
    assert result.tolist() == expected and result.dtype is norch.float64 and result.requires_grad


def test_prod_has_a_second_derivative_at_zeros():
    assert slope(norch.prod, X) == [6.0, 0.0, 0.0] and bend(norch.prod, X) == [5.0, 3.0, 2.0]
    assert slope(norch.prod, [0.0, 5.0, 0.0]) == [0.0] * 3
    assert bend(norch.prod, [0.0, 5.0, 0.0]) == [5.0, 0.0, 5.0]
    assert slope(norch.prod, 0.0) == 1.0
    rows = [[0.0, 2.0, 4.0], [3.0, 0.0, 5.0]]
    assert slope(lambda x: x.prod(0), rows) == [[3.0, 0.0, 5.0], [0.0, 2.0, 4.0]]
    assert slope(lambda x: x.prod(1, keepdim=True), rows) == [[8.0, 0.0, 0.0], [0.0, 15.0, 0.0]]


def test_nan_passes_the_gradient_on():
    assert slope(lambda x: norch.maximum(x, x * 1), [math.nan, 1.0]) == [2.0, 1.0]
    assert slope(norch.relu, [math.nan, -1.0]) == [1.0, 0.0]
    assert slope(lambda x: x.clone().fill_(2.0) * 1 + x, [1.0]) == [1.0]
    assert slope(lambda x: (x.clone().fill_(2.0) * math.inf) + x, [1.0]) == [1.0]


def test_logaddexp_of_nothing_and_at_a_tie():
    nothing = norch.tensor([-math.inf])
    assert norch.logaddexp(nothing, nothing).tolist() == [-math.inf]
    assert bend(lambda x: norch.logaddexp(x, x * 2), [0.0]) == [0.25]


@pytest.mark.parametrize("dtype", [norch.uint8, norch.bool_, norch.int64])
@pytest.mark.parametrize("function", [norch.asin, norch.acos, norch.sinh, norch.cosh])
def test_whole_numbers_are_real_to_the_hyperbola(function, dtype):
    x = norch.tensor([1, 0, 1]).to(dtype)
    assert function(x).tolist() == function(x.float()).tolist()
    if dtype is not norch.bool_:
        assert function(x * 3).isnan().tolist() == function(x.float() * 3).isnan().tolist()


def test_clamp_with_a_bound_that_is_nan():
    x, bound = norch.tensor([1.0, 5.0]), norch.tensor([math.nan, 2.0])
    assert norch.isnan(x.clamp(min=bound)).tolist() == [True, False]
    assert norch.isnan(x.clamp(max=math.nan)).all()
    assert norch.isnan(norch.tensor([math.nan]).clamp(norch.tensor(0.0), norch.tensor(1.0))).all()


@pytest.mark.parametrize(("wrong", "kind"), [
    (norch.ones(3), RuntimeError), (norch.ones(2).double(), RuntimeError), (3, TypeError),
])  # fmt: skip
def test_a_gradient_of_another_shape_cannot_be_assigned(wrong, kind):
    x = norch.ones(2, requires_grad=True)
    x.grad = norch.ones(2)
    with pytest.raises(kind, match=r"\[grad\]"):
        x.grad = wrong
    assert x.grad.tolist() == [1.0, 1.0]


def test_gradients_can_stay_none():
    class Twins(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            assert second is None
            return first * 2

    x = norch.ones(1, requires_grad=True)
    Twins.apply(x)[0].backward()
    assert x.grad.tolist() == [2.0]


def test_a_function_with_too_many_gradients_is_refused():
    class Generous(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    with pytest.raises(RuntimeError, match="returned 2 gradients, expected 1"):
        Generous.apply(norch.ones(1, requires_grad=True)).backward()


def test_a_hook_must_return_a_tensor():
    x = norch.ones(1, requires_grad=True)
    x.register_hook(lambda grad: 3)
    with pytest.raises(TypeError, match=r"\[register_hook\] a hook must return a Tensor"):
        (x * 2).backward()
    assert x.grad is None


def test_gradients_flow_through_a_stack_of_nothing():
    x = norch.ones(0, 2, requires_grad=True)
    norch.stack([x, x], 1).sum().backward()
    assert x.grad.shape == (0, 2)


def test_shapes_that_must_not_be_broadcast():
    with pytest.raises(RuntimeError, match=r"\[inner\] shapes \(1,\) and \(3,\)"):
        norch.inner(norch.ones(1), norch.ones(3))
    with pytest.raises(RuntimeError, match=r"\[masked_select\] expected a mask of bool"):
        norch.ones(3).masked_select(norch.tensor([1, 0, 1]))
    with pytest.raises(RuntimeError, match=r"\[grad\] 'inputs' cannot be empty"):
        norch.grad(norch.ones(1, requires_grad=True), [])


def test_a_pair_prints_its_tensors():
    assert repr(norch.tensor([1.0, 2.0]).max(0)) == (
        "norch.return_types.max(\nvalues=tensor(2.),\nindices=tensor(1))"
    )


@pytest.mark.parametrize(("key", "shape"), [
    (True, (1, 2, 3)), (False, (0, 2, 3)), (norch.tensor(True), (1, 2, 3)),
    (norch.tensor(False), (0, 2, 3)), (norch.tensor([1, 0], dtype=norch.uint8), (1, 3)),
])  # fmt: skip
def test_truths_are_masks_not_numbers(key, shape):
    x = norch.arange(6).reshape(2, 3)
    assert x[key].shape == shape
    before = x.clone()
    x[key] = 9
    assert int((x != before).sum()) == math.prod(shape)


@pytest.mark.parametrize(("call", "kind"), [
    (lambda x: norch.tensordot(x, x, 5), RuntimeError), (lambda x: x.roll(1, 5), IndexError),
    (lambda x: x.repeat_interleave(2, 5), IndexError),
    (lambda x: x.repeat_interleave(2**62), RuntimeError),
    (lambda x: x.repeat_interleave(-1), RuntimeError),
])  # fmt: skip
def test_impossible_arrangements_are_refused_at_once(call, kind):
    with pytest.raises(kind, match=r"^\["):
        call(norch.ones(2, 2))
