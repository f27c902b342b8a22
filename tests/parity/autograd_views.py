"""Programs about views, what may not be edited, and version counters; see shown.py."""

from shown import four, grid, leaf


def view_made_before_its_base_wants_gradients(t, show):
    a = t.zeros(4, dtype=t.float64)
    v = a[:2]
    a.requires_grad_()
    show(v.requires_grad, v.is_leaf)
    show.fails(lambda: v.mul_(2))
    show(v.requires_grad, a._version)


def view_of_data_made_a_leaf(t, show):
    a = t.arange(4.0, dtype=t.float64).reshape(2, 2).requires_grad_()
    for edit in (
        lambda: a[1:].add_(1),
        lambda: a.fill_diagonal_(1),
        lambda: a.view(-1)[1:].zero_(),
        lambda: a[0].copy_(t.zeros(2)),
        lambda: a.t_(),
        lambda: a.t().uniform_(),
        lambda: a[:, 0].masked_fill_(t.tensor([True, False]), 1),
    ):
        show.fails(edit)
    with t.no_grad():
        a[1:].add_(1)
    (a * a).sum().backward()
    show(a.is_leaf, a, a.grad)


def view_before_base_becomes_part_of_a_graph(t, show):
    x = leaf(t, [3.0])
    a = t.zeros(4, dtype=t.float64)
    v = a[:2]
    a[1:3] = x * 2
    show(v.requires_grad, v.is_leaf, v, a.requires_grad)
    v.sum().backward()
    show(x.grad)


def view_edit_makes_plain_base_require(t, show):
    x = leaf(t, [3.0, 5.0])
    a = t.ones(4, dtype=t.float64)
    v = a[1:3]
    v.mul_(x)
    show(a.requires_grad, v.requires_grad, a.is_leaf, v.is_leaf)
    (a * a).sum().backward()
    show(x.grad, a, v)


def base_edit_after_view(t, show):
    x = four(t)
    a = x * 1
    v = a[:2]
    a.mul_(3)
    show(v, type(v.grad_fn).__name__ != type(a.grad_fn).__name__)
    v.sum().backward()
    show(x.grad)


def view_edit_after_view(t, show):
    x = four(t)
    a = x * 1
    v, w = a[:3], a[1:]
    v.mul_(2)
    w.mul_(5)
    (v.sum() + 10 * w.sum() + 100 * a.sum()).backward()
    show(x.grad, a, v, w)


def chain_of_views(t, show):
    x = grid(t)
    a = x * 1
    b = a.t()
    c = b[1:]
    d = c.reshape(-1) if c.is_contiguous() else c[:, 0]
    d.mul_(7)
    show(a, b, c, d)
    (a * a).sum().backward()
    show(x.grad)


def chain_of_views_versions(t, show):
    a = t.zeros(2, 3)
    b = a.t()
    c = b[0]
    c.add_(1)
    show(a._version, b._version, c._version)
    a.zero_()
    show(c._version)


def view_under_no_grad_of_a_leaf(t, show):
    x = four(t)
    with t.no_grad():
        v = x[:2]
    show(v.is_leaf)
    with t.no_grad():
        v.mul_(3)
    show(x, x._version)
    show.fails(lambda: v.mul_(2))


def view_under_no_grad_of_a_node(t, show):
    x = four(t)
    a = x * 1
    with t.no_grad():
        v = a[:2]
    show(v.grad_fn is None)
    show.fails(lambda: v.mul_(2))
    show(a)


def edit_of_base_with_no_grad_view(t, show):
    x = four(t)
    a = x * 1
    with t.no_grad():
        v = a[:2]
    a.mul_(2)
    show.fails(lambda: v.grad_fn)
    show.fails(lambda: v * 2)
    a.sum().backward()
    show(x.grad)


def view_under_no_grad_of_plain_then_edit(t, show):
    x = leaf(t, [2.0])
    a = t.ones(3, dtype=t.float64)
    with t.no_grad():
        v = a[:2]
    show.fails(lambda: v.mul_(x))
    show(a.requires_grad)


def no_grad_edit_of_graph_tensor(t, show):
    x = four(t)
    a = x * 2
    with t.no_grad():
        a.mul_(5)
    show(a.requires_grad, a._version)
    a.sum().backward()
    show(x.grad)


def no_grad_edit_of_saved(t, show):
    x = four(t)
    a = x * 2
    b = a * a
    with t.no_grad():
        a.zero_()
    show.fails(lambda: b.sum().backward())


def detach_shares_version(t, show):
    x = four(t)
    a = x * 2
    d = a.detach()
    show(a._version, d._version)
    d.zero_()
    show(a._version, d._version, a)
    b = a.exp()
    d.add_(1)
    show.fails(lambda: b.sum().backward())


def data_does_not_bump(t, show):
    x = four(t)
    a = x * 2
    b = a * a
    a.data.zero_()
    show(a._version, a)
    b.sum().backward()
    show(x.grad)


def data_of_leaf_edit(t, show):
    x = four(t)
    y = x * x
    x.data.mul_(10)
    show(x._version, x.requires_grad, x.data.requires_grad, x.data.is_leaf)
    y.sum().backward()
    show(x.grad)


def data_view_edit(t, show):
    x = four(t)
    y = x * x
    x.data[0] = 100.0
    show(x._version)
    y.sum().backward()
    show(x.grad)


def data_assignment(t, show):
    x = four(t)
    before = x._version
    x.data = t.ones(4, dtype=t.float64)
    show(x, x._version - before, x.requires_grad, x.is_leaf)
    x.data = t.ones(2, dtype=t.float64)
    show(x.shape)
    show.fails(lambda: setattr(x, "data", t.ones(2, dtype=t.int64)))
    show.fails(lambda: setattr(x, "data", [1.0]))
    show.fails(lambda: setattr(x, "data", None))


def data_assignment_of_other_dtype(t, show):
    x = t.ones(2, requires_grad=True)
    x.data = t.ones(2, dtype=t.float64)
    show(x.dtype)
    plain = t.ones(2)
    plain.data = t.ones(3, dtype=t.int64)
    show(plain)


def edit_of_a_leaf(t, show):
    x = four(t)
    for edit in (
        lambda: x.mul_(2),
        lambda: x.zero_(),
        lambda: x.fill_(2),
        lambda: x.copy_(x.detach() * 2),
        lambda: x[0].mul_(2),
        lambda: x.__setitem__(0, 1.0),
        lambda: x.view(2, 2).add_(1),
        lambda: x.exp_(),
        lambda: x.normal_(),
        lambda: x.uniform_(),
        lambda: x.clamp_(0, 1),
        lambda: x.masked_fill_(x > 2, 0),
        lambda: x.index_fill_(0, t.tensor([0]), 1.0),
        lambda: x.t_(),
        lambda: x.unsqueeze_(0),
    ):
        show.fails(lambda edit=edit: edit() is None)
    show(x._version, x)


def edit_of_expanded(t, show):
    a = t.zeros(1, 3)
    e = a.expand(2, 3)
    for edit in (
        lambda: e.add_(1),
        lambda: e.copy_(t.ones(2, 3)),
        lambda: e.mul_(t.ones(2, 3)),
        lambda: e.exp_(),
        lambda: e.normal_(),
        lambda: e.clamp_(0, 1),
        lambda: e.__setitem__((0, 0), 5.0),
        lambda: e.__setitem__(0, 5.0),
        lambda: e[0].add_(1),
    ):
        show.fails(lambda edit=edit: edit() is None)
    show(a)


def edit_of_expanded_with_gradient(t, show):
    x = leaf(t, [1.0])
    e = (x * 1).expand(3)
    show.fails(lambda: e.mul_(2))
