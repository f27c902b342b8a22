"""What a view, its base and `.data` know of each other, and where gradients are delivered."""

import pytest
from autograd_checks import leaf

import norch_autograd as norch


def test_a_view_of_a_buffer_that_becomes_part_of_a_graph_is_part_of_it_too():
    x, buffer = leaf([3.0]), norch.zeros(4)
    early = [buffer[:2], buffer[2:], buffer.view(2, 2)[0]]
    buffer[1:3] = x * 2
    assert [view.requires_grad for view in early] == [True] * 3
    assert not any(view.is_leaf for view in early)
    sum(view.sum() for view in early).backward()
    assert x.grad.tolist() == [6.0]


@pytest.mark.parametrize("count", [1, 63, 64, 200])
def test_a_base_forgets_the_views_that_are_gone(count):
    base = norch.zeros(2)
    alive = [base[:1] for _ in range(3)]
    for _ in range(count):
        base[1:]
    assert len(base.views) < 64 + len(alive)
    base += leaf([1.0])
    assert all(view.requires_grad for view in alive)


@pytest.mark.parametrize("alive", [62, 63, 1022, 1023])
def test_a_base_with_many_views_does_not_walk_them_at_every_new_one(alive):
    """Just below a power of two it did, at every second view."""

    class Counted(list):
        walks = 0

        def __iter__(self):
            self.walks += 1
            return super().__iter__()

    base = norch.zeros(2)
    kept = [base[:1] for _ in range(alive)]
    base.views = Counted(base.views)
    for _ in range(alive):
        base[1:]
    assert base.views.walks <= 4
    assert len(base.views) < 4 * len(kept) + 64


@pytest.mark.parametrize(("make", "words"), [
    (lambda x: (x * 1).split(1)[0], "one of several views"),
    (lambda x: (x * 1).unbind()[0], "one of several views"),
    (lambda x: (x * 1).chunk(2)[1][:1], "one of several views"),
    (lambda x: norch.no_grad()(lambda y: y[:1])(x * 1), r"made under no_grad\(\)"),
    (lambda x: Same.apply(x * 1), "a Function returned it"),
])  # fmt: skip
def test_a_view_whose_base_cannot_be_told_is_not_edited(make, words):
    view = make(leaf([1.0, 2.0]))
    with pytest.raises(
        RuntimeError, match=rf"\[mul_\] a view cannot be edited in place: .*{words}"
    ):
        view.mul_(leaf([2.0]))
    with norch.no_grad():
        view.mul_(2)  # unrecorded, it may


class Same(norch.autograd.Function):
    """Returns its input as it is."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_a_leaf_that_shows_a_plain_tensor_is_still_a_leaf():
    x = norch.arange(4.0).reshape(2, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.mul_(2)


def test_edits_through_data_are_not_counted():
    x = leaf([2.0])
    y = x * x
    x.data.mul_(5)
    assert (x._version, x.tolist()) == (0, [10.0])
    y.backward()
    assert x.grad.tolist() == [20.0]
    z = x * x
    x.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_a_gradient_that_is_there_is_added_to_in_its_own_storage():
    x, held = leaf([1.0]), norch.tensor([10.0])
    x.grad = held
    (x * 2).backward()
    assert x.grad is held and held.tolist() == [12.0]
    (x * x).backward(create_graph=True)
    assert x.grad is not held and held.tolist() == [12.0] and x.grad.tolist() == [14.0]


def test_retain_grad_means_the_tensor_as_it_is_when_asked():
    x = leaf([1.0])
    a = x * 2
    a.retain_grad()
    a.mul_(3)
    (a * 5).backward()
    assert (a.grad.tolist(), x.grad.tolist()) == ([5.0], [30.0])


def test_hooks_of_nodes_see_and_replace():
    x, seen = leaf([3.0]), []
    y = x * x
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    handle = y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs)))
    y.backward(retain_graph=True)
    (inputs, (output,)) = seen[0]
    assert ([g.tolist() for g in inputs], output.tolist()) == ([[30.0], [30.0]], [10.0])
    assert x.grad.tolist() == [60.0]
    handle.remove()
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 1, None))
    y.backward()
    assert (len(seen), x.grad.tolist()) == (1, [91.0])


def test_hooks_of_what_a_pass_leaves_out_are_not_called():
    x, w, seen = leaf([1.0]), leaf([2.0]), []
    a = w.exp()
    a.register_hook(seen.append)
    w.register_hook(seen.append)
    norch.autograd.grad(x * a, x)
    assert seen == []


def test_a_hook_may_not_change_shape_or_dtype():
    for wrong in (norch.ones(2), norch.ones(1, dtype=norch.float64)):
        x = leaf([1.0])
        x.register_hook(lambda grad, wrong=wrong: wrong)
        with pytest.raises(RuntimeError, match="a hook has changed the gradient's shape or dtype"):
            (x * 2).backward()
        assert x.grad is None
