"""Programs about `autograd.backward`, `autograd.grad`, leaves and copies; see shown.py."""

import gc
import threading

from shown import leaf


def function_backward_forms(t, show):
    x, y = leaf(t), leaf(t)
    t.autograd.backward((x * 2, y * 3), (t.ones(3, dtype=t.float64), t.ones(3, dtype=t.float64)))
    show(x.grad, y.grad)
    t.autograd.backward([x.sum(), y * 1], [None, t.ones(3, dtype=t.float64)])
    show(x.grad, y.grad)
    show.fails(lambda: t.autograd.backward([x.sum(), y.sum()], [None]))
    show.fails(lambda: t.autograd.backward([x * 1], [None]))
    show.fails(lambda: t.autograd.backward([]))
    z = (x * y).sum()
    t.autograd.backward([z, z])
    show(x.grad, y.grad)


def grad_forms(t, show):
    x, y = leaf(t), leaf(t)
    z = x * y
    g = t.autograd.grad
    one = t.ones(3, dtype=t.float64)
    show(g(z, x, one, retain_graph=True))
    show(g([z], [x, y], [one], retain_graph=True))
    show(g((z,), (y,), one, retain_graph=True))
    show(g(z.sum(), [x, x], retain_graph=True))
    show(g(z.sum(), [z], retain_graph=True, allow_unused=True))
    show(g([z.sum(), x.sum()], x, [None, None], retain_graph=True))
    show(g([z.sum(), z.sum()], x, retain_graph=True))
    show(g([z, z], x, [one, one], retain_graph=True))
    show(x.grad, y.grad)
    show.fails(lambda: g(z, x, retain_graph=True))
    show.fails(lambda: g(z, x, [None], retain_graph=True))
    show.fails(lambda: g([z, z], x, [one], retain_graph=True))
    show.fails(lambda: g(z, x, t.ones(2, dtype=t.float64), retain_graph=True))
    show.fails(lambda: g(z.sum(), [], retain_graph=True))
    show.fails(lambda: g(z.sum(), 3, retain_graph=True))
    show.fails(lambda: g(z.sum(), [3], retain_graph=True))
    show.fails(lambda: g(z.sum(), [None], retain_graph=True))
    show.fails(lambda: g(3, [x], retain_graph=True))
    show.fails(lambda: g([], [x], retain_graph=True))
    show.fails(lambda: g(t.ones(()), [x], retain_graph=True))
    show.fails(lambda: g(z.sum(), t.ones(3), retain_graph=True))
    show.fails(lambda: g(z.sum(), leaf(t), retain_graph=True))
    show.fails(lambda: g(z.sum(), leaf(t), retain_graph=True, allow_unused=True))
    show.fails(lambda: g(z.sum(), leaf(t), retain_graph=True, materialize_grads=True))
    show.fails(lambda: g(z.sum(), leaf(t), retain_graph=True, allow_unused=False))
    show.fails(
        lambda: g(z.sum(), leaf(t), retain_graph=True, allow_unused=False, materialize_grads=True)
    )
    show.fails(lambda: g(z.sum(), [t.ones(3)], retain_graph=True, allow_unused=True))
    show(show.warned(lambda: g(z.sum(), x, only_inputs=False, retain_graph=True)))


def grad_of_inner_tensors(t, show):
    x = leaf(t)
    a = x * 2
    b = a.exp()
    c = (b * a).sum()
    show(t.autograd.grad(c, [a, b, x, c], retain_graph=True))
    show(t.autograd.grad(c, [b], retain_graph=True))
    show.fails(lambda: t.autograd.grad(a.sum(), [b], retain_graph=True))
    show(t.autograd.grad(a.sum(), [b, x], retain_graph=True, allow_unused=True))
    show(x.grad)


def grad_does_not_run_the_rest(t, show):
    x, w = leaf(t), leaf(t)
    seen = []
    a = w.exp()
    a.register_hook(lambda g: seen.append("a"))
    (x * a).sum().register_hook(lambda g: seen.append("sum"))
    y = (x * a).sum()
    t.autograd.grad(y, x)
    show(seen)


def grad_frees_only_what_it_ran(t, show):
    x, w = leaf(t), leaf(t)
    a = w.exp()
    y = (x * a).sum()
    t.autograd.grad(y, x)
    show.fails(lambda: t.autograd.grad(a.sum(), w))


def grad_hooks_on_inner(t, show):
    x = leaf(t)
    a = x * 2
    a.register_hook(lambda g: g * 10)
    show(t.autograd.grad(a.sum(), [a, x], retain_graph=True))
    a.retain_grad()
    t.autograd.grad(a.sum(), [x], retain_graph=True)
    show(a.grad)
    a.sum().backward()
    show(a.grad, x.grad)


def grad_twice_with_create_graph(t, show):
    x = leaf(t)
    (g,) = t.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), x, create_graph=True)
    (k,) = t.autograd.grad(h.sum(), x)
    show(g, h, k, k.requires_grad, g.requires_grad)
    show.fails(lambda: t.autograd.grad(k.sum(), x))


def grad_of_linear_with_create_graph(t, show):
    x = leaf(t)
    (g,) = t.autograd.grad((x * 3).sum(), x, create_graph=True)
    show(g.requires_grad)
    (h,) = t.autograd.grad(x.sum(), x, create_graph=True)
    show(h.requires_grad)


def grads_batched(t, show):
    x = leaf(t)
    y = x * x
    eye = t.eye(3, dtype=t.float64)
    show(t.autograd.grad(y, x, eye, is_grads_batched=True, retain_graph=True))
    show.fails(lambda: t.autograd.grad(y, x, eye[:, :2], is_grads_batched=True, retain_graph=True))


def graph_is_freed_by_reference_counting(t, show):
    gc.disable()
    try:
        import weakref

        x = leaf(t)
        y = x * 2
        ref = weakref.ref(y)
        z = y.exp().sum()
        del y
        z.backward()
        del z
        show(ref() is None)
    finally:
        gc.enable()


def deep_graph(t, show):
    x = leaf(t)
    y = x
    for _ in range(5000):
        y = y + 1
    y.sum().backward()
    show(x.grad)


def threads_have_their_own_pass(t, show):
    x = leaf(t)
    results = []

    def work(k):
        results.append(t.autograd.grad((x * k).sum(), x)[0].tolist())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    show(sorted(results))


def is_leaf_and_friends(t, show):
    x = leaf(t)
    y = x * 2
    with t.no_grad():
        z = x * 2
    show(x.is_leaf, y.is_leaf, z.is_leaf, t.ones(2).is_leaf, y.detach().is_leaf)
    show(x.grad_fn, z.grad_fn, y.requires_grad, z.requires_grad, x.output_nr, y.output_nr)
    show(y.retains_grad, x.retains_grad, x.clone().is_leaf)
    show(x.cpu() is x, x.double() is x, x.float().is_leaf, x.to(t.float64) is x)


def setting_read_only(t, show):
    x = leaf(t)
    for name in ("is_leaf", "grad_fn", "_version", "shape", "dtype", "device", "ndim", "output_nr"):
        show(name, show.kind(lambda name=name: setattr(x, name, None)))


def copies(t, show):
    import copy

    x = leaf(t)
    (x * x).sum().backward()
    c = copy.deepcopy(x)
    show(c, c.requires_grad, c.grad, c is x)
    show.fails(lambda: copy.deepcopy(x * 2))
    show.fails(lambda: copy.copy(x).requires_grad)
    plain = copy.deepcopy([x, x])
    show(plain[0] is plain[1])


def backward_to_no_leaf_of_interest(t, show):
    x = leaf(t)
    y = (x.detach() * 2).requires_grad_()
    (y * 3).sum().backward()
    show(x.grad, y.grad)


def unused_leaf(t, show):
    x, w = leaf(t), leaf(t)
    (x * 2).sum().backward()
    show(w.grad)
