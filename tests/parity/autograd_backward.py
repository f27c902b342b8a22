"""Programs about `backward` and `.grad`; see shown.py."""

from shown import leaf


def gradient_argument(t, show):
    x = leaf(t)
    y = x * 2
    show.fails(lambda: y.backward())
    show.fails(lambda: y.backward(t.ones(2, dtype=t.float64)))
    show.fails(lambda: y.backward(t.ones(1, 3, dtype=t.float64)))
    show.fails(lambda: y.backward(t.tensor(1.0, dtype=t.float64)))
    show.fails(lambda: y.backward([1.0, 1.0, 1.0]))
    show.fails(lambda: y.backward(1.0))
    show(x.grad)
    y.backward(t.tensor([1.0, 10.0, 100.0], dtype=t.float64))
    show(x.grad)


def gradient_of_other_dtype(t, show):
    x = leaf(t)
    show.fails(lambda: (x * 2).backward(t.ones(3)))
    show(x.grad)
    show.fails(lambda: (x * 2).backward(t.ones(3, dtype=t.int64)))
    show.fails(lambda: (x * 2).backward(t.ones(3, dtype=t.bool)))
    show(x.grad)


def gradient_that_wants_gradients(t, show):
    x = leaf(t)
    w = leaf(t, [1.0, 1.0, 1.0])
    (x * x).backward(w, create_graph=True)
    show(x.grad.requires_grad)
    x.grad.sum().backward()
    show(w.grad, x.grad)


def scalar_of_shape_1(t, show):
    x = leaf(t, [2.0])
    (x * x).backward()
    show(x.grad)
    y = t.tensor([[2.0]], requires_grad=True)
    (y * y).backward()
    show(y.grad)
    z = t.tensor([2.0], requires_grad=True)
    (z * z).backward(t.tensor(1.0)) if False else None
    show.fails(lambda: (z * z).backward(t.tensor(1.0)))


def root_is_a_leaf(t, show):
    x = leaf(t, [2.0])
    x.backward()
    x.backward()
    show(x.grad)
    y = leaf(t)
    y.backward(t.ones(3, dtype=t.float64))
    show(y.grad)


def root_without_gradients(t, show):
    show.fails(lambda: t.ones(1).backward())
    show.fails(lambda: t.ones(()).sum().backward())
    x = leaf(t)
    show.fails(lambda: x.detach().sum().backward())
    with t.no_grad():
        y = x.sum()
    show.fails(lambda: y.backward())
    show.fails(lambda: t.autograd.backward([x.sum(), t.ones(())]))
    show(x.grad)


def root_of_whole_numbers(t, show):
    x = leaf(t)
    show.fails(lambda: x.argmax().backward())
    show.fails(lambda: (x > 1).sum().backward())
    show.fails(lambda: x.long().sum().backward())


def backward_twice(t, show):
    x = leaf(t)
    y = (x * x).sum()
    y.backward()
    show.fails(lambda: y.backward())
    show(x.grad)
    z = x.sum()
    z.backward()
    show.fails(lambda: z.backward())
    show(x.grad)
    w = (x * 2).sum()
    w.backward()
    show.fails(lambda: w.backward())
    show(x.grad)


def backward_retained(t, show):
    x = leaf(t)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    first = x.grad
    y.backward()
    show(x.grad, first is x.grad, first)
    show.fails(lambda: y.backward())


def retain_graph_false_with_create_graph(t, show):
    x = leaf(t)
    y = (x**3).sum()
    y.backward(create_graph=True, retain_graph=False)
    show(x.grad, x.grad.requires_grad)
    show.fails(lambda: x.grad.sum().backward())


def shared_subgraph(t, show):
    x = leaf(t)
    a = x.exp()
    b, c = (a * 2).sum(), (a * a).sum()
    b.backward()
    show.fails(lambda: c.backward())
    show(x.grad)


def shared_subgraph_in_one_pass(t, show):
    x = leaf(t)
    a = x.exp()
    t.autograd.backward([(a * 2).sum(), (a * a).sum()])
    show(x.grad)


def saved_tensors_freed(t, show):
    x = leaf(t)
    y = x.exp()
    y.sum().backward()
    show.fails(lambda: (y * 2).sum().backward())


def failed_pass_leaves_the_mode(t, show):
    x = leaf(t)
    a = x * 1

    def broken(g):
        raise KeyError("no")

    a.register_hook(broken)
    show.fails(lambda: a.sum().backward())
    show(t.is_grad_enabled(), x.grad)
    (x * 2).sum().backward()
    show(x.grad)


def accumulate_in_place_or_new(t, show):
    x = leaf(t)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    show(first is x.grad, first, x.grad)


def accumulate_under_create_graph(t, show):
    x = leaf(t)
    (x * 2).sum().backward()
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    show(first is x.grad, first, x.grad, x.grad.requires_grad)


def assigned_grad_is_accumulated(t, show):
    x = leaf(t)
    mine = t.ones(3, dtype=t.float64)
    x.grad = mine
    show(x.grad is mine)
    (x * 2).sum().backward()
    show(x.grad is mine, mine, x.grad)


def grad_edited_by_hand(t, show):
    x = leaf(t)
    (x * 2).sum().backward()
    x.grad.zero_()
    show(x.grad)
    x.grad += 1
    show(x.grad)
    x.grad = None
    show(x.grad)
    del x.grad
    show(x.grad)


def grads_do_not_alias(t, show):
    x, y = leaf(t), leaf(t)
    (x + y).sum().backward()
    x.grad.mul_(100)
    show(x.grad, y.grad)
    w = t.ones(3, dtype=t.float64)
    x.grad = None
    (x * 1).backward(w)
    x.grad.mul_(7)
    show(w)
    x.grad = None
    x.backward(w)
    x.grad.mul_(7)
    show(w)


def grad_assignment_checks(t, show):
    x = leaf(t)
    show.fails(lambda: setattr(x, "grad", t.ones(2, dtype=t.float64)))
    show.fails(lambda: setattr(x, "grad", t.ones(3)))
    show.fails(lambda: setattr(x, "grad", t.ones(3, dtype=t.int64)))
    show.fails(lambda: setattr(x, "grad", [1.0, 1.0, 1.0]))
    show.fails(lambda: setattr(x, "grad", 1.0))
    show.fails(lambda: setattr(x, "grad", x))
    show.fails(lambda: setattr(x, "grad", None))
    plain = t.ones(3)
    plain.grad = t.ones(3)
    show(plain.grad)
    node = x * 2
    node.grad = t.ones(3, dtype=t.float64)
    show(show.warned(lambda: node.grad))


def grad_of_a_result_is_none(t, show):
    x = leaf(t)
    y = x * 2
    y.sum().backward()
    show(show.warned(lambda: y.grad), x.grad)


def grad_layout(t, show):
    x = t.ones(2, 3, dtype=t.float64).t().requires_grad_()
    (x * 2).sum().backward()
    show(x.grad.shape, x.grad.dtype, x.grad.requires_grad, x.grad.is_leaf)
    y = t.ones(3, requires_grad=True)
    (y * t.ones(3, dtype=t.float64)).sum().backward()
    show(y.grad)
    h = t.ones(3, dtype=t.float16, requires_grad=True)
    (h.float() * 2).sum().backward()
    show(h.grad)


def grad_of_expanded_sum_can_be_edited(t, show):
    x = leaf(t)
    x.sum().backward()
    x.grad[0] = 5.0
    show(x.grad)


def inputs_argument(t, show):
    x, w = leaf(t), leaf(t)
    y = x * w
    z = y * 2
    z.sum().backward(inputs=[x], retain_graph=True)
    show(x.grad, w.grad)
    z.sum().backward(inputs=w, retain_graph=True)
    show(x.grad, w.grad)
    show.fails(lambda: z.sum().backward(inputs=[], retain_graph=True))
    show.fails(lambda: z.sum().backward(inputs=[y], retain_graph=True))
    show(show.warned(lambda: y.grad), x.grad)
    show.fails(lambda: z.sum().backward(inputs=[t.ones(3)], retain_graph=True))
    show.fails(lambda: z.sum().backward(inputs=[leaf(t)], retain_graph=True))
    show.fails(lambda: z.sum().backward(inputs=[x, x], retain_graph=True))
    show(x.grad)
    show.fails(lambda: z.sum().backward(inputs=3))
    show.fails(lambda: z.sum().backward(inputs=["a"]))


def inputs_keep_retained(t, show):
    x, w = leaf(t), leaf(t)
    y = x * w
    y.retain_grad()
    (y * 2).sum().backward(inputs=[x])
    show(x.grad, w.grad, y.grad)


def inputs_hooks(t, show):
    x, w = leaf(t), leaf(t)
    seen = []
    x.register_hook(lambda g: seen.append("x"))
    w.register_hook(lambda g: seen.append("w"))
    x.register_post_accumulate_grad_hook(lambda p: seen.append("px"))
    w.register_post_accumulate_grad_hook(lambda p: seen.append("pw"))
    (x * w).sum().backward(inputs=[x])
    show(seen)
    seen.clear()
    t.autograd.grad((x * w).sum(), [x])
    show(seen)
