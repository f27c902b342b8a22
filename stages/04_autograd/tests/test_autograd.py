"""The ways of asking for gradients: backward, grad, hooks, modes, functions of the user's own."""

import pytest
from autograd_checks import leaf, permuted

import norch_autograd as norch


def test_backward_with_a_gradient_and_through_a_chain():
    x = leaf([1.0, 2.0])
    y = x * x
    y.backward(norch.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2, 40]


def test_backward_on_a_leaf():
    x = leaf(3.0)
    x.backward()
    x.backward(norch.tensor(2.0))
    assert x.grad.item() == 3


def test_gradients_accumulate_until_cleared():
    x = leaf([1.0])
    for _ in range(3):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [6]


def test_backward_from_several_tensors_and_into_chosen_inputs():
    x, w = leaf([1.0]), leaf([2.0])
    norch.autograd.backward([x * w, x + w], [norch.ones(1), norch.ones(1)], inputs=[w])
    assert w.grad.tolist() == [2]
    assert x.grad is None


def test_grad_returns_and_touches_nothing():
    x, w = leaf([3.0]), leaf([4.0])
    y = x * w
    dx, dy = norch.grad((y * y).sum(), [x, y])
    assert (dx.tolist(), dy.tolist()) == ([96], [24])
    assert x.grad is None
    assert w.grad is None


def test_grad_runs_only_what_leads_to_the_inputs():
    ran = []

    class Noted(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 0

        @staticmethod
        def backward(ctx, grad):
            ran.append("noted")
            return grad

    x, w = leaf([1.0]), leaf([1.0])
    y = (Noted.apply(x) * w).sum()
    norch.grad(y, w, retain_graph=True)
    assert ran == []
    norch.grad(y, [w, x])
    assert ran == ["noted"]


def test_grad_of_unused_inputs():
    x, w = leaf([1.0]), leaf([2.0])
    y = (x * 2).sum()
    with pytest.raises(RuntimeError, match=r"index 1 .*allow_unused"):
        norch.grad(y, [x, w], retain_graph=True)
    assert norch.grad(y, [x, w], retain_graph=True, allow_unused=True)[1] is None
    assert norch.grad(y, [x, w], materialize_grads=True)[1].tolist() == [0]


def test_second_and_third_derivatives():
    x = leaf(2.0)
    (first,) = norch.grad(x**4, x, create_graph=True)
    (second,) = norch.grad(first, x, create_graph=True)
    (third,) = norch.grad(second, x)
    assert (first.item(), second.item(), third.item()) == (32, 48, 48)


def test_create_graph_leaves_a_grad_that_can_be_differentiated():
    x = leaf(3.0)
    (x**3).backward(create_graph=True)
    assert x.grad.requires_grad
    penalty = x.grad * x.grad
    x.grad = None
    penalty.backward()
    assert x.grad.item() == 2 * 27 * 18


BAD = [
    (lambda x: (x * 2).backward(), "only for scalar outputs"),
    (lambda x: norch.ones(1).backward(), "does not require grad"),
    (lambda x: (x * 2).backward(norch.ones(3)), "mismatch in shape"),
    (lambda x: norch.grad(x.sum(), norch.ones(2)), "does not require grad"),
    (lambda x: norch.autograd.backward([x, x], [norch.ones(2)]), "2 tensors and 1 gradients"),
    (lambda x: norch.autograd.backward(x.sum(), inputs=[]), "cannot be empty"),
    (lambda x: setattr(x * 2, "requires_grad", False), "leaf variables"),
    (lambda x: norch.ones(1).register_hook(print), "doesn't require gradient"),
    (lambda x: (x * 2).register_post_accumulate_grad_hook(print), "non-leaf"),
    (lambda x: norch.ones(1).retain_grad(), "requires_grad=False"),
]


@pytest.mark.parametrize(("call", "words"), BAD, ids=range(len(BAD)))
def test_bad_requests_are_refused(call, words):
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=words):
        call(x)
    assert x.grad is None


# hooks


def test_hooks_see_the_whole_gradient_and_may_replace_it():
    x = leaf([1.0])
    y = x * 2
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: grad + 1)
    (y + y * 3).sum().backward()
    assert seen == [[4]]
    assert x.grad.tolist() == [81]


def test_a_removed_hook_is_silent():
    x = leaf([1.0])
    handle = x.register_hook(lambda grad: grad * 10)
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert x.grad.tolist() == [1]


def test_hook_registered_after_use_still_runs():
    x = leaf([1.0])
    y = x * 2
    z = (y * 3).sum()
    y.register_hook(lambda grad: grad * 0)
    z.backward()
    assert x.grad.tolist() == [0]


def test_post_accumulate_hooks_run_during_the_pass_as_leaves_complete():
    order = []
    first, last = leaf([1.0]), leaf([1.0])
    for name, x in (("first", first), ("last", last)):
        x.register_post_accumulate_grad_hook(
            lambda t, name=name: order.append((name, t.grad.item()))
        )
    h = first * 2
    h.register_hook(lambda grad: order.append("between"))
    (h * last).sum().backward()
    assert order == [("last", 2), "between", ("first", 2)]


def test_retain_grad_accumulates_as_leaves_do():
    x = leaf([1.0])
    y = x * 2
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert y.grad.tolist() == [2]
    assert y.retains_grad


def test_only_the_inner_tensor_that_asks_keeps_its_gradient():
    a = leaf([3.0])
    b = a * 5
    b.retain_grad()
    c = b * b
    c.sum().backward()
    assert (a.grad.item(), b.grad.item(), c.grad) == (150, 30, None)


# modes


def test_nothing_is_recorded_without_grad():
    x = leaf([1.0])
    with norch.no_grad():
        y = x * 2
        assert not y.requires_grad
        with norch.enable_grad():
            assert (x * 2).requires_grad
    with norch.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    norch.set_grad_enabled(False)
    assert not norch.is_grad_enabled()
    norch.set_grad_enabled(True)
    with norch.inference_mode():
        assert norch.is_inference_mode_enabled()
        assert not (x * 2).requires_grad
    assert not norch.is_inference_mode_enabled()


def test_modes_decorate_with_and_without_parentheses_and_generators_too():
    @norch.no_grad
    def plain():
        return norch.is_grad_enabled()

    @norch.set_grad_enabled(False)
    def switched():
        return norch.is_grad_enabled()

    @norch.no_grad()
    def values():
        for _ in range(2):
            yield norch.is_grad_enabled()

    assert (plain(), switched(), norch.is_grad_enabled()) == (False, False, True)
    for inside in values():
        assert not inside
        assert norch.is_grad_enabled()


def test_detach_and_data_leave_the_graph_and_share_storage():
    x = leaf([1.0, 2.0])
    y = x * 2
    for outside in (y.detach(), y.data):
        assert not outside.requires_grad
        assert outside.array.shares_storage(y.array)
    x.data = norch.tensor([5.0, 6.0])
    assert x.tolist() == [5, 6]
    assert x.requires_grad


def test_whole_numbers_never_want_gradients():
    x = leaf([1.0, 2.0])
    assert not x.long().requires_grad
    assert not x.argmax().requires_grad
    assert not (x > 1).requires_grad


# functions of the user's own


class Cube(norch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


class ScaleBoth(norch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        return x * factor, y * factor

    @staticmethod
    def backward(ctx, dx, dy):
        return dx * ctx.factor, None, dy * ctx.factor


def test_function_to_second_order():
    x = permuted([[1.0, 2.0], [-0.5, 3.0]])
    assert norch.gradcheck(Cube.apply, x)
    assert norch.gradgradcheck(Cube.apply, x)
    assert Cube.apply(x).grad_fn.name() == "CubeBackward"


def test_function_that_saves_its_output_to_second_order():
    class Exp(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y, None)
            return y

        @staticmethod
        def backward(ctx, grad):
            y, nothing = ctx.saved_tensors
            assert nothing is None
            return grad * y

    assert norch.gradcheck(Exp.apply, permuted([0.5, -1.0]))
    assert norch.gradgradcheck(Exp.apply, permuted([0.5, -1.0]))


def test_function_with_several_outputs_and_plain_arguments():
    x, y = leaf([1.0]), leaf([2.0])
    a, b = ScaleBoth.apply(x, 3, y)
    (a * b).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([18], [9])
    a, b = ScaleBoth.apply(x, 3, y)
    b.sum().backward()  # nobody used a: its gradient arrives as zeros
    assert (x.grad.tolist(), y.grad.tolist()) == ([18], [12])


def test_function_that_returns_too_few_gradients():
    class Short(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return (grad,)

    with pytest.raises(RuntimeError, match="1 gradients, expected 2"):
        Short.apply(leaf([1.0]), leaf([1.0])).sum().backward()


def test_function_refuses_edited_saved_tensors():
    x = leaf([1.0])
    y = x + 0
    z = Cube.apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="inplace"):
        z.sum().backward()


# gradcheck


def test_gradcheck_finds_a_wrong_derivative():
    class Wrong(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = permuted([1.0, 2.0])
    with pytest.raises(
        RuntimeError, match=r"d out\[0\] / d in\[0\] is 3 by backward, 2 by differences"
    ):
        norch.gradcheck(Wrong.apply, x)
    assert not norch.gradcheck(Wrong.apply, x, raise_exception=False)


def test_gradcheck_wants_float64_and_something_to_check():
    with pytest.warns(UserWarning, match="float64"):
        norch.gradcheck(lambda x: x, leaf([1.0]), eps=0.5)
    with pytest.raises(ValueError, match="nothing to check"):
        norch.gradcheck(lambda x: x, norch.ones(1))


# whole derivatives, and doing it again


def test_checkpoint_gives_the_same_gradients():
    w = leaf([[0.5, -1.0], [2.0, 0.1]])
    ran = []

    def block(x, scale):
        ran.append(norch.is_grad_enabled())
        return (x @ w).tanh() * norch.rand(2) * scale

    results = []
    for call in (block, lambda *args: norch.autograd.checkpoint(block, *args)):
        norch.manual_seed(5)
        x = leaf([[1.0, 2.0]])
        w.grad = None
        (call(x, 3.0) * x).sum().backward()
        results.append((x.grad.tolist(), w.grad.tolist(), norch.rand(1).item()))
    assert results[0] == results[1]
    assert ran == [True, True, True]


@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_of_a_node_with_several_outputs_are_given_all_their_gradients(create_graph):
    x = norch.ones(4, requires_grad=True)
    first, second = (x * 2).split(2)
    node = first.grad_fn.next_functions[0][0]
    seen = []
    node.register_prehook(lambda grads: seen.append([g.tolist() for g in grads]))
    node.register_prehook(lambda grads: (grads[0], grads[1] * 10))
    node.register_hook(lambda inputs, outputs: seen.append(inputs[0].tolist()))
    (first * 3 + second).sum().backward(create_graph=create_graph)
    assert seen == [[[3, 3], [1, 1]], [3, 3, 10, 10]]
    assert x.grad.tolist() == [6, 6, 20, 20]
