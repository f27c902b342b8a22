"""Programs about what is written into a tensor, and its history; see shown.py."""

from shown import four, grid, leaf


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
