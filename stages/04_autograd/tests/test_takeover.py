"""A leaf's first gradient is taken over as it is if nobody else can reach it, else copied."""

import pytest

import norch_autograd as norch


class Give(norch.autograd.Function):
    """Passes its input on; backward answers with what the test put in `answer`."""

    @staticmethod
    def forward(ctx, x, answer):
        ctx.answer = answer
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return ctx.answer(grad), None


def gradient_of(answer, hook=None):
    x = norch.ones(2, 3, requires_grad=True)
    if hook:
        x.register_hook(hook)
    Give.apply(x, answer).backward(norch.ones(2, 3))
    return x.grad


def test_a_fresh_gradient_is_taken_over():
    seen = []

    def fresh(grad):
        new = grad * 5
        seen.append(new.data_ptr())
        return new

    grad = gradient_of(fresh)
    assert (grad.data_ptr(), grad.tolist()) == (seen[0], [[5.0] * 3] * 2)


held = norch.full((2, 3), 5.0)


@pytest.mark.parametrize(
    "answer",
    [
        lambda grad: held,
        lambda grad: held.detach(),
        lambda grad: held.view(6).view(2, 3),
        lambda grad: norch.as_tensor(held.numpy()),
        lambda grad: held[:1].expand(2, 3),
    ],
    ids=["kept elsewhere", "detached", "a view", "numpy's", "expanded"],
)
def test_what_somebody_else_can_reach_is_copied(answer):
    grad = gradient_of(answer)
    assert grad.tolist() == held.tolist()
    grad.zero_()
    assert held.tolist() == [[5.0] * 3] * 2


def test_a_gradient_that_a_hook_kept_is_copied():
    kept = []
    grad = gradient_of(lambda grad: grad * 5, kept.append)
    grad.zero_()
    assert kept[0].tolist() == [[5.0] * 3] * 2


def test_the_gradient_that_was_passed_in_is_copied():
    x, start = norch.ones(2, requires_grad=True), norch.ones(2)
    x.backward(start)
    x.grad.zero_()
    (x + 0).backward(start)
    x.grad.zero_()
    assert start.tolist() == [1.0, 1.0]


def test_two_leaves_never_share_a_gradient():
    a, b = norch.ones(2, requires_grad=True), norch.ones(2, requires_grad=True)
    (a + b).sum().backward()
    assert a.grad.data_ptr() != b.grad.data_ptr()
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 1.0]


def test_a_gradient_lies_row_by_row_in_memory_of_its_own_size():
    for answer in (lambda g: g.t().contiguous().t() * 1, lambda g: (g.repeat(2, 1) * 1)[:2]):
        assert gradient_of(answer).is_contiguous()


def test_a_node_that_keeps_its_result_is_not_robbed():
    """exp of a gradient's graph: with create_graph the gradient is part of a record."""
    x = norch.ones(2, requires_grad=True)
    x.exp().sum().backward(create_graph=True)
    grad = x.grad
    norch.autograd.grad(grad.sum(), x)
    with norch.no_grad():
        grad.zero_()
    assert x.exp().tolist() == pytest.approx([2.7182817] * 2)
