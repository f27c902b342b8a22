"""Programs about hooks of tensors and of nodes; see shown.py."""

from shown import leaf


def backward_inside_a_hook(t, show):
    x, w = leaf(t), leaf(t)
    inner = (w * w).sum()

    def hook(g):
        inner.backward()
        return g * 2

    a = x * 3
    a.register_hook(hook)
    a.sum().backward()
    show(x.grad, w.grad, t.is_grad_enabled())


def backward_inside_a_hook_to_the_same_leaf(t, show):
    x = leaf(t)
    inner = (x * x).sum()
    a = x * 3
    a.register_hook(lambda g: inner.backward())
    a.sum().backward()
    show(x.grad)


def grad_inside_a_hook(t, show):
    x = leaf(t)
    a = x * 3

    def hook(g):
        with t.enable_grad():
            y = x.detach().requires_grad_()
            return t.autograd.grad((y**2).sum(), y)[0]

    a.register_hook(hook)
    a.sum().backward()
    show(x.grad)


def hook_sees_the_mode(t, show):
    x = leaf(t)
    seen = []
    a = x * 2
    a.register_hook(lambda g: seen.append((t.is_grad_enabled(), g.requires_grad)))
    a.sum().backward()
    a = x * x
    a.register_hook(lambda g: seen.append((t.is_grad_enabled(), g.requires_grad)))
    a.sum().backward(create_graph=True)
    show(seen)


def hooks_in_order(t, show):
    x = leaf(t)
    seen = []
    x.register_hook(lambda g: seen.append(("1", g.tolist())) or g * 2)
    x.register_hook(lambda g: seen.append(("2", g.tolist())))
    x.register_hook(lambda g: seen.append(("3", g.tolist())) or g + 1)
    x.register_post_accumulate_grad_hook(lambda p: seen.append(("post", p.grad.tolist())))
    x.sum().backward()
    show(seen, x.grad)


def hooks_and_retain_grad(t, show):
    x = leaf(t)
    a = x * 2
    a.retain_grad()
    a.register_hook(lambda g: g * 10)
    a.sum().backward()
    show(a.grad, x.grad)
    b = x * 2
    b.register_hook(lambda g: g * 10)
    b.retain_grad()
    b.register_hook(lambda g: g * 10)
    b.sum().backward()
    show(b.grad, x.grad)


def hook_of_wrong_shape(t, show):
    x = leaf(t)
    x.register_hook(lambda g: t.ones(2, dtype=t.float64))
    show.fails(lambda: x.sum().backward())
    show(x.grad)
    y = leaf(t)
    a = y * 2
    a.register_hook(lambda g: t.ones(2, dtype=t.float64))
    show.fails(lambda: a.sum().backward())
    show(y.grad)


def hook_of_broadcastable_shape(t, show):
    y = leaf(t)
    a = y * 2
    a.register_hook(lambda g: t.ones(1, dtype=t.float64))
    show.fails(lambda: a.sum().backward())
    b = y * 2
    b.register_hook(lambda g: t.ones((), dtype=t.float64))
    show.fails(lambda: b.sum().backward())


def hook_of_other_dtype(t, show):
    x = leaf(t)
    x.register_hook(lambda g: g.float())
    show.fails(lambda: x.sum().backward())
    show(x.grad)
    y = leaf(t)
    a = y * 2
    a.register_hook(lambda g: g.float())
    show.fails(lambda: a.sum().backward())
    show(y.grad)


def hook_of_wrong_type(t, show):
    x = leaf(t)
    x.register_hook(lambda g: 3)
    show.fails(lambda: x.sum().backward())
    show(x.grad)
    y = leaf(t)
    y.register_hook(lambda g: "a")
    show.fails(lambda: (y * 2).sum().backward())
    show.fails(lambda: t.ones(2).register_hook(lambda g: g))


def hook_edits_its_gradient(t, show):
    x = leaf(t)
    a = x * 2
    a.register_hook(lambda g: g.mul_(3))
    a.sum().backward()
    show(x.grad)


def hook_removed(t, show):
    x = leaf(t)
    seen = []
    first = x.register_hook(lambda g: seen.append(1))
    second = x.register_hook(lambda g: seen.append(2))
    first.remove()
    first.remove()
    x.sum().backward()
    show(seen)
    with x.register_hook(lambda g: seen.append(3)):
        x.sum().backward()
    x.sum().backward()
    second.remove()
    x.sum().backward()
    show(seen)


def hook_removed_while_running(t, show):
    x = leaf(t)
    seen = []
    handles = []

    def once(g):
        seen.append("once")
        handles[0].remove()

    handles.append(x.register_hook(once))
    x.register_hook(lambda g: seen.append("second"))
    x.sum().backward()
    x.sum().backward()
    show(seen)


def same_hook_twice(t, show):
    x = leaf(t)
    seen = []

    def hook(g):
        seen.append(1)

    first = x.register_hook(hook)
    x.register_hook(hook)
    x.sum().backward()
    show(seen)
    first.remove()
    x.sum().backward()
    show(seen)


def hook_on_output_and_root(t, show):
    x = leaf(t)
    y = (x * 2).sum()
    seen = []
    y.register_hook(lambda g: seen.append(g.item()) or g * 5)
    y.backward()
    show(seen, x.grad)


def hook_counts_complete_gradients(t, show):
    x = leaf(t)
    a = x * 2
    seen = []
    a.register_hook(lambda g: seen.append(g.tolist()))
    (a * 3 + a * a).sum().backward()
    show(seen)
    seen.clear()
    b = x * 1
    x.register_hook(lambda g: seen.append(g.tolist()))
    (x * 2 + x * 3 + b).sum().backward()
    show(seen)


def hook_on_one_part(t, show):
    x = leaf(t, [1.0, 2.0, 3.0, 4.0])
    a, b = (x * 2).split(2)
    seen = []
    a.register_hook(lambda g: seen.append(g.tolist()) or g * 10)
    (a * 2 + b * 3).sum().backward()
    show(seen, x.grad)
    c, d = (x * 2).split(2)
    c.retain_grad()
    d.retain_grad()
    (d * 3).sum().backward()
    show(c.grad, d.grad)


def post_accumulate_hooks(t, show):
    x = leaf(t)
    seen = []

    def step(p):
        seen.append(p is x)
        with t.no_grad():
            p -= p.grad
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    show(seen, x, x.grad)
    handle.remove()
    (x * 2).sum().backward()
    show(seen, x.grad)
    show.fails(lambda: (x * 2).register_post_accumulate_grad_hook(step))
    show.fails(lambda: t.ones(2).register_post_accumulate_grad_hook(step))


def node_attributes(t, show):
    x = leaf(t)
    y = x * 2
    z = y.exp() + x
    node = z.grad_fn
    show(node.name(), len(node.next_functions))
    show([n[0].name().split(":")[-1] for n in node.next_functions])
    show([n[1] for n in node.next_functions])
    show(node.next_functions[1][0].variable is x, node.next_functions[1][0].next_functions)
    show(y.grad_fn.next_functions[1])
    show(node.metadata)
    node.metadata["a"] = 1
    show(z.grad_fn.metadata, x.grad_fn, z.grad_fn is node)
    show(callable(node))


def node_hooks(t, show):
    x = leaf(t)
    y = x * x
    seen = []

    def post(inputs, outputs):
        seen.append(("post", [g.tolist() for g in inputs], [g.tolist() for g in outputs]))

    def pre(outputs):
        seen.append(("pre", [g.tolist() for g in outputs]))

    h = y.grad_fn.register_hook(post)
    p = y.grad_fn.register_prehook(pre)
    y.sum().backward(retain_graph=True)
    show(seen)
    h.remove()
    p.remove()
    y.sum().backward()
    show(len(seen))


def node_hooks_that_replace(t, show):
    x = leaf(t)
    y = x * 2
    y.grad_fn.register_prehook(lambda outs: (outs[0] * 10,))
    y.grad_fn.register_hook(
        lambda ins, outs: (ins[0] + 1, None) if len(ins) == 2 else (ins[0] + 1,)
    )
    show.fails(lambda: y.sum().backward())
    show(x.grad)


def node_called_by_hand(t, show):
    x = leaf(t)
    y = x * x
    show.fails(lambda: y.grad_fn(t.ones(3, dtype=t.float64)))


def accumulate_node(t, show):
    x = leaf(t)
    y = x * 2
    acc = y.grad_fn.next_functions[0][0]
    seen = []
    acc.register_hook(lambda *a: seen.append(len(a)))
    y.sum().backward()
    show(seen, x.view_as(x).grad_fn.next_functions[0][0] == acc)
