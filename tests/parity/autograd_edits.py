"""Programs about edits, of pieces too, their hooks and history, `requires_grad_`; see shown.py."""

import numpy as np
from shown import four, grid, leaf


def multi_output_views(t, show):
    x = four(t)
    for cut in (
        lambda a: a.split(2),
        lambda a: a.chunk(2),
        lambda a: a.unbind(),
        lambda a: t.split(a, [1, 3]),
        lambda a: t.tensor_split(a, 2),
        lambda a: t.hsplit(a, 2),
    ):
        a = x * 1
        parts = cut(a)
        show.fails(lambda parts=parts: parts[0].mul_(2))
    plain = t.zeros(4, dtype=t.float64)
    parts = plain.split(2)
    show.fails(lambda: parts[0].add_(1))
    show(plain)


def multi_output_views_of_plain_by_graph(t, show):
    x = leaf(t, [2.0, 3.0])
    parts = t.zeros(4, dtype=t.float64).split(2)
    show.fails(lambda: parts[0].add_(x))


def multi_output_views_base_edited(t, show):
    x = four(t)
    a = x * 1
    first, _ = a.split(2)
    a.mul_(2)
    show.fails(lambda: first.sum().backward())


def multi_output_views_under_no_grad(t, show):
    x = four(t)
    a = x * 1
    with t.no_grad():
        first, _ = a.split(2)
        first.mul_(2)
    show(a)
    a.sum().backward()
    show(x.grad)


def iteration_rows_edited(t, show):
    x = grid(t)
    a = x * 1

    def go():
        for row in a:
            row.mul_(2)

    show.fails(go)


def view_of_split_edited(t, show):
    x = four(t)
    a = x * 1
    first = a.split(2)[0]
    inner = first[:1]
    show.fails(lambda: inner.mul_(2))


def versions_in_the_message(t, show):
    x = four(t)
    a = x * 1
    b = a.exp()
    b.add_(1)
    b.add_(1)
    try:
        b.sum().backward()
    except RuntimeError as error:
        show("is at version 2" in str(error), "expected version 0" in str(error))


def writes_through_numpy(t, show):
    x = four(t)
    a = x * 1
    b = a * a
    a.detach().numpy()[0] = 50.0
    show(a._version, a)
    b.sum().backward()
    show(x.grad)


def from_numpy_shares(t, show):
    n = np.ones(3)
    a = t.from_numpy(n)
    n[0] = 5
    show(a, a._version)
    a.mul_(2)
    show(n.tolist())
    a.requires_grad_()
    show.fails(lambda: a.numpy())
    show.fails(lambda: np.asarray(a))
    show.fails(lambda: (a * 1).numpy())


def retain_grad_then_edit(t, show):
    x = four(t)
    a = x * 2
    a.retain_grad()
    a.mul_(3)
    a.sum().backward()
    show(x.grad, a.grad, a.retains_grad)


def retain_grad_after_edit(t, show):
    x = four(t)
    a = x * 2
    a.mul_(3)
    a.retain_grad()
    (a * a).sum().backward()
    show(x.grad, a.grad)


def retain_grad_on_view_whose_base_is_edited(t, show):
    x = four(t)
    a = x * 2
    v = a[:2]
    v.retain_grad()
    a.mul_(3)
    (v * v).sum().backward()
    show(x.grad, v.grad, v.retains_grad)


def retain_grad_on_leaf(t, show):
    x = four(t)
    x.retain_grad()
    show(x.retains_grad)
    (x * 2).sum().backward()
    show(x.grad)
    show.fails(lambda: t.ones(2).retain_grad())


def retain_grad_twice(t, show):
    x = four(t)
    a = x * 2
    a.retain_grad()
    a.retain_grad()
    a.sum().backward(retain_graph=True)
    a.sum().backward()
    show(a.grad, x.grad)


def hook_then_edit(t, show):
    x = four(t)
    a = x * 2
    seen = []
    a.register_hook(lambda g: seen.append(("before", g.tolist())))
    a.mul_(3)
    a.register_hook(lambda g: seen.append(("after", g.tolist())))
    (a * 5).sum().backward()
    show(seen, x.grad)


def hook_on_leaf_that_becomes_a_result(t, show):
    x = four(t)
    a = t.zeros(4, dtype=t.float64)
    a.add_(x)
    show(a.requires_grad, a.is_leaf)
    a.sum().backward()
    show(x.grad, show.warned(lambda: a.grad))


def requires_grad_on_others(t, show):
    x = four(t)
    a = x * 2
    show.fails(lambda: a.requires_grad_(False))
    show.fails(lambda: setattr(a, "requires_grad", False))
    show.fails(lambda: a.requires_grad_(True).requires_grad)
    show.fails(lambda: t.tensor([1, 2]).requires_grad_())
    show.fails(lambda: t.tensor([1, 2]).requires_grad_(False).requires_grad)
    show.fails(lambda: t.tensor([True]).requires_grad_())
    show.fails(lambda: t.ones(2, dtype=t.int64, requires_grad=True))
    show.fails(lambda: t.zeros(2, dtype=t.uint8, requires_grad=True))
    show.fails(lambda: setattr(t.tensor([1]), "requires_grad", True))
    show.fails(lambda: setattr(x, "requires_grad", "yes"))
    show.fails(lambda: setattr(x, "requires_grad", 1))
    show.fails(lambda: setattr(x, "requires_grad", None))
    show.fails(lambda: x.requires_grad_("yes"))
    show.fails(lambda: x.requires_grad_(0))
    show(x.requires_grad)


def requires_grad_off_and_on(t, show):
    x = four(t)
    y = x * 2
    x.requires_grad_(False)
    z = x * 3
    show(z.requires_grad, y.requires_grad)
    show.fails(lambda: y.sum().backward())
    show(x.grad)


def detach_in_place(t, show):
    x = four(t)
    a = x * 2
    b = a * 3
    a.detach_()
    show(a.requires_grad, a.is_leaf, a.grad_fn is None)
    b.sum().backward()
    show(x.grad)
    show.fails(lambda: a.sum().backward())
    x.detach_()
    show(x.requires_grad)


def detach_in_place_of_view(t, show):
    x = four(t)
    a = x * 2
    show.fails(lambda: a[:2].detach_().requires_grad)
    show.fails(lambda: a.split(2)[0].detach_().requires_grad)
    p = t.ones(3)
    show.fails(lambda: p[:2].detach_().requires_grad)


def detach_in_place_of_base_with_views(t, show):
    x = four(t)
    a = x * 2
    v = a[:2]
    a.detach_()
    show(a.requires_grad, v.requires_grad)
    show.fails(lambda: v.sum().backward())
    show(x.grad)


def attributes_of_the_base(t, show):
    x = four(t)
    v = x[:2]
    show(v._base is x, v[0]._base is x, x._base is None, v._is_view(), x._is_view())
    show((x * 2)._base is None, x.detach()._is_view(), x.data._is_view())
    show(x.reshape(2, 2)._is_view(), x.expand(2, 4)._is_view(), x.contiguous() is x)
    show(x.reshape(4) is x)
    show(x.view(4) is x, x.squeeze() is x, x.unbind()[0]._is_view(), x.to(t.float64) is x)


def edit_takes_over_from_many(t, show):
    x, y = four(t), leaf(t, [5.0, 6.0, 7.0, 8.0])
    a = t.zeros(4, dtype=t.float64)
    a += x * 2
    a *= y
    a -= x
    a /= 2
    a **= 2
    a.sum().backward()
    show(a, x.grad, y.grad)


def edit_with_broadcast(t, show):
    x = leaf(t, [1.0, 2.0])
    a = t.zeros(3, 2, dtype=t.float64)
    a.add_(x)
    show.fails(lambda: x.detach().add_(a.detach()).shape)
    a.sum().backward()
    show(x.grad)


def edit_result_type(t, show):
    show.fails(lambda: t.tensor([1, 2]).add_(1.5))
    show.fails(lambda: t.tensor([1, 2]).div_(2))
    show.fails(lambda: t.tensor([1, 2]).mul_(t.tensor([1.0, 2.0])))
    show.fails(lambda: t.tensor([True]).add_(1))
    show.fails(lambda: t.tensor([1], dtype=t.uint8).add_(t.tensor([300])))
    show.fails(lambda: t.ones(2).add_(t.ones(2, dtype=t.float64)))
    show.fails(lambda: t.ones(2).copy_(t.tensor([1, 2])))
    show.fails(lambda: t.tensor([1, 2]).copy_(t.tensor([1.9, -1.9])))
    show.fails(lambda: t.tensor([1, 2]).exp_())
    show.fails(lambda: t.ones(2).eq_(t.ones(2)))


def assignment_with_gradient(t, show):
    x, y = grid(t), leaf(t, [10.0, 20.0, 30.0])
    a = x * 1
    a[0] = y
    a[:, 1] = a[:, 2] * 2
    a[1, 0] = 9.0
    a[t.tensor([0, 1]), t.tensor([0, 2])] = y[:2]
    a[a > 15] = 1.0
    (a * a).sum().backward()
    show(a, x.grad, y.grad)


def assignment_refused(t, show):
    a = t.zeros(2, 3)
    show.fails(lambda: a.__setitem__(0, t.ones(4)))
    show.fails(lambda: a.__setitem__(5, 1.0))
    show.fails(lambda: a.__setitem__((0, 0, 0), 1.0))
    show.fails(lambda: a.__setitem__(0, "a"))
    show.fails(lambda: a.__setitem__(0, None))
    show.fails(lambda: a.__setitem__(0, t.ones(1, 3)))
    show.fails(lambda: a.__setitem__(0, t.ones(2, 3)))
    show(a)


def set_under_no_grad_keeps_leaf(t, show):
    x = four(t)
    with t.no_grad():
        x -= 0.1
        x[0] = 5.0
        x.copy_(x * 2)
    show(x, x.is_leaf, x.requires_grad, x._version)


def edit_of_view_of_a_leaf_under_no_grad(t, show):
    x = four(t)
    y = x * x
    with t.no_grad():
        x[0] += 1
    show.fails(lambda: y.sum().backward())


def double_backward_through_edit(t, show):
    x = four(t)
    a = x * 1
    a[:2].mul_(x[:2])
    (g,) = t.autograd.grad((a**2).sum(), x, create_graph=True)
    show(g)
    (h,) = t.autograd.grad(g.sum(), x)
    show(h)


def version_after_each_edit(t, show):
    a = t.ones(2, 2)
    for edit in (
        lambda: a.add_(1),
        lambda: a.zero_(),
        lambda: a.fill_(3),
        lambda: a.copy_(t.ones(2, 2)),
        lambda: a[0].mul_(2),
        lambda: a.__setitem__(0, 1.0),
        lambda: a.__setitem__((0, 1), t.tensor(4.0)),
        lambda: a.__setitem__(a > 0, 1.0),
        lambda: a.__setitem__(t.tensor([0]), 1.0),
        lambda: a.clamp_(0, 1),
        lambda: a.exp_(),
        lambda: a.normal_(),
        lambda: a.uniform_(),
        lambda: a.bernoulli_(0.5),
        lambda: a.masked_fill_(a > 0, 1),
        lambda: a.index_add_(0, t.tensor([0]), t.ones(1, 2)),
        lambda: a.scatter_(0, t.tensor([[0, 0]]), 1.0),
        lambda: a.relu_(),
        lambda: a.pow_(2),
        lambda: a.div_(2),
        lambda: t.nn.init.ones_(a),
    ):
        before = a._version
        edit()
        show(a._version - before)
