"""Programs about gradcheck, Jacobians, Hessians and their products; see shown.py."""

import warnings

from shown import leaf, wrong


def gradcheck_answers(t, show):
    check = t.autograd.gradcheck
    x, y = leaf(t), leaf(t)
    show(check(lambda x: x * x, x), check(lambda x, y: (x * y, x + y), (x, y)))
    show(check(lambda x: x * x, (x,)), check(lambda x: x * x, [x]))
    show.fails(lambda: check(wrong(t), x))
    show.fails(lambda: check(wrong(t), x, raise_exception=False))
    show.fails(lambda: check(wrong(t), x, atol=10.0))
    show.fails(lambda: check(wrong(t), x, rtol=10.0))
    show.fails(lambda: check(lambda x: x**2, x, eps=1e-3))
    show.fails(lambda: check(lambda x: x, x))
    show.fails(lambda: check(lambda x: x.detach() * 2, x))
    show.fails(lambda: check(lambda x: x.detach() * 2, x, raise_exception=False))
    show.fails(lambda: check(lambda x: x * 2, x.detach()))
    show.fails(lambda: check(lambda x: x * 2, x.detach(), raise_exception=False))
    show.fails(lambda: check(lambda x, k: x * k, (x, 3.0)))
    show.fails(lambda: check(lambda x, k: x * k, (x, t.tensor([2, 3, 4]))))
    show.fails(lambda: check(lambda: t.ones(1), ()))
    show.fails(lambda: check(3, x))
    show.fails(lambda: check(lambda x: x * 2, 3))
    show.fails(lambda: check(lambda x: x.sum(), t.ones(0, dtype=t.float64, requires_grad=True)))


def gradcheck_of_float32(t, show):
    check = t.autograd.gradcheck
    x = t.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        show.fails(lambda: check(lambda x: x * x, x, eps=1e-2, atol=1e-1, rtol=1e-1))
        show([w.category.__name__ for w in seen])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        show.fails(lambda: check(lambda x: x * x, x))
        show.fails(lambda: check(lambda x: x * x, x, raise_exception=False))
        half = t.tensor([1.0], dtype=t.float16, requires_grad=True)
        show.fails(lambda: check(lambda x: x * x, half, raise_exception=False))


def gradcheck_of_expanded(t, show):
    x = t.ones(1, dtype=t.float64).expand(3).requires_grad_()
    show.fails(lambda: t.autograd.gradcheck(lambda x: x * 2, x))


def gradcheck_options(t, show):
    check = t.autograd.gradcheck
    x = leaf(t)
    show(check(lambda x: x.exp(), x, check_undefined_grad=False, check_batched_grad=False))
    show(check(lambda x: x.exp(), x, nondet_tol=0.0, fast_mode=True))
    show.fails(lambda: check(wrong(t), x, fast_mode=True))
    show.fails(lambda: check(lambda x: x.exp(), x, masked=False))


def gradcheck_undefined_gradients(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 3

    x = leaf(t)
    show.fails(lambda: t.autograd.gradcheck(F.apply, x))
    show.fails(lambda: t.autograd.gradcheck(F.apply, x, check_undefined_grad=False))


def gradcheck_nondeterministic(t, show):
    state = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            state.append(1)
            return g * 2 + (1e-7 if len(state) % 2 else 0)

    x = leaf(t)
    show.fails(lambda: t.autograd.gradcheck(F.apply, x))


def gradcheck_leaves_the_inputs_alone(t, show):
    x = leaf(t)
    t.autograd.gradcheck(lambda x: x * x, x)
    show(x, x.grad, x._version)


def gradgradcheck_answers(t, show):
    check = t.autograd.gradgradcheck
    x = leaf(t)
    show(check(lambda x: x.exp(), x), check(lambda x: x**3, (x,)))
    show.fails(lambda: check(lambda x: x * 2, x))
    show.fails(lambda: check(lambda x: x.exp(), x, t.ones(3, dtype=t.float64, requires_grad=True)))
    show.fails(
        lambda: check(lambda x: x.exp(), (x,), (t.ones(3, dtype=t.float64, requires_grad=True),))
    )
    show.fails(lambda: check(lambda x: x.exp(), x, gen_non_contig_grad_outputs=True))

    class Half(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x.detach()

    show.fails(lambda: check(Half.apply, x))
    show.fails(lambda: check(Half.apply, x, raise_exception=False))
    show.fails(lambda: check(lambda x: x.exp(), x.detach()))


def jacobian_forms(t, show):
    jac = t.autograd.functional.jacobian
    x, y = leaf(t), leaf(t, [4.0, 5.0])
    show(jac(lambda x: x**2, x))
    show(jac(lambda x: x.sum(), x))
    show(jac(lambda x, y: (x.sum() * y, x), (x, y)))
    show(jac(lambda x: (x.sum(), x * 2), x))
    show(jac(lambda x: x * y[0], (x,)))
    m = t.arange(6, dtype=t.float64).reshape(2, 3)
    show(jac(lambda m: m.t() @ m, m))
    show(jac(lambda x: t.ones(2, dtype=t.float64), x))
    show(jac(lambda x, y: x * 2, (x, y)))
    show(jac(lambda x: x**2, x, vectorize=True))
    show.fails(lambda: jac(lambda x: x**2, x, strategy="forward-mode", vectorize=True))
    show.fails(lambda: jac(lambda x: x**2, x, strategy="forward-mode"))
    show(jac(lambda x: x**2, x).requires_grad)


def jacobian_create_graph(t, show):
    jac = t.autograd.functional.jacobian
    x = leaf(t)
    j = jac(lambda x: x**3, x, create_graph=True)
    show(j, j.requires_grad)
    show(t.autograd.grad(j.sum(), x))
    z = jac(lambda x: t.ones(2, dtype=t.float64), x, create_graph=True)
    show(z, z.requires_grad)


def jacobian_strict(t, show):
    jac = t.autograd.functional.jacobian
    x, y = leaf(t), leaf(t)
    show.fails(lambda: jac(lambda x: t.ones(2, dtype=t.float64), x, strict=True))
    show.fails(lambda: jac(lambda x, y: x * 2, (x, y), strict=True))
    show.fails(lambda: jac(lambda x: x * 2, x, strict=True))
    show.fails(lambda: jac(lambda x: x * 2, x, strict=True, create_graph=True))
    show.fails(lambda: jac(lambda x: x * 2, x, strict=True, vectorize=True))


def refused_everywhere(t, show):
    f = t.autograd.functional
    x = leaf(t)
    for call in (f.jacobian, f.hessian, f.vjp, f.jvp, f.hvp, f.vhp):
        show(call.__name__)
        show.fails(lambda call=call: call(lambda x: x.sum(), 3))
        show.fails(lambda call=call: call(lambda x: x.sum(), [x, 3]))
        show.fails(lambda call=call: call(lambda x: 3, x))
        show.fails(lambda call=call: call(lambda x: None, x))
        show.fails(lambda call=call: call(3, x))
        show.fails(lambda call=call: call(lambda x: x.sum() > 1, x))


def hessian_forms(t, show):
    hes = t.autograd.functional.hessian
    x, y = leaf(t), leaf(t)
    show(hes(lambda x: (x**3).sum(), x))
    show(hes(lambda x, y: (x * y).sum(), (x, y)))
    show(hes(lambda x: x.sum(), x))
    show(hes(lambda x: x.prod(), (x,)))
    show.fails(lambda: hes(lambda x: x**3, x))
    show.fails(lambda: hes(lambda x: (x.sum(), x.sum()), x))
    show.fails(lambda: hes(lambda x: (x**2).sum().reshape(1), x))
    show.fails(lambda: hes(lambda x: x.sum(), x, strict=True))
    show.fails(lambda: hes(lambda x, y: (x**2).sum() + y.sum(), (x, y), strict=True))
    h = hes(lambda x: (x**4).sum(), x, create_graph=True)
    show(h.requires_grad, t.autograd.grad(h.sum(), x))
    show(hes(lambda x: (x**3).sum(), x, vectorize=True))
    show.fails(
        lambda: hes(lambda x: (x**3).sum(), x, vectorize=True,
                    outer_jacobian_strategy="forward-mode")
    )  # fmt: skip
    m = t.arange(4, dtype=t.float64).reshape(2, 2)
    show(hes(lambda m: (m @ m).sum(), m))


def vjp_forms(t, show):
    vjp = t.autograd.functional.vjp
    x, y = leaf(t), leaf(t)
    v = t.tensor([1.0, 10.0, 100.0], dtype=t.float64)
    show(vjp(lambda x: x**2, x, v))
    show(vjp(lambda x: x.sum(), x))
    show(vjp(lambda x, y: (x * y, x + y), (x, y), (v, v)))
    show(vjp(lambda x, y: x * 2, (x, y), v))
    show.fails(lambda: vjp(lambda x: x**2, x))
    show.fails(lambda: vjp(lambda x: x**2, x, v[:2]))
    show.fails(lambda: vjp(lambda x: x**2, x, 3))
    show.fails(lambda: vjp(lambda x: (x, x), x, v))
    show.fails(lambda: vjp(lambda x: t.ones(3, dtype=t.float64), x, v))
    show.fails(lambda: vjp(lambda x: t.ones(3, dtype=t.float64), x, v, strict=True))
    show.fails(lambda: vjp(lambda x: x * 2, x, v, strict=True))
    show.fails(lambda: vjp(lambda x: x * 2, x, v, strict=True, create_graph=True))
    out, g = vjp(lambda x: x**3, x, v, create_graph=True)
    show(out.requires_grad, g.requires_grad, t.autograd.grad(g.sum(), x))
    out, g = vjp(lambda x: x**3, x, v)
    show(out.requires_grad, g.requires_grad)


def jvp_forms(t, show):
    jvp = t.autograd.functional.jvp
    x, y = leaf(t), leaf(t)
    v = t.tensor([1.0, 10.0, 100.0], dtype=t.float64)
    show(jvp(lambda x: x**2, x, v))
    show(jvp(lambda x: x.sum(), x, v))
    show(jvp(lambda x: x**2, leaf(t, [2.0])))
    show(jvp(lambda x, y: (x * y, x.sum()), (x, y), (v, v)))
    show.fails(lambda: jvp(lambda x: x**2, x))
    show.fails(lambda: jvp(lambda x: x**2, x, v[:2]))
    show.fails(lambda: jvp(lambda x: x**2, (x, y), v))
    show.fails(lambda: jvp(lambda x: t.ones(3, dtype=t.float64), x, v))
    show.fails(lambda: jvp(lambda x: t.ones(3, dtype=t.float64), x, v, strict=True))
    show.fails(lambda: jvp(lambda x: x * 2, x, v, strict=True))
    out, g = jvp(lambda x: x**3, x, v, create_graph=True)
    show(out.requires_grad, g.requires_grad, t.autograd.grad(g.sum(), x))


def hvp_and_vhp(t, show):
    x, y = leaf(t), leaf(t)
    v = t.tensor([1.0, 10.0, 100.0], dtype=t.float64)
    for product in (t.autograd.functional.hvp, t.autograd.functional.vhp):
        show(product(lambda x: (x**3).sum(), x, v))
        show(product(lambda x, y: (x * y * y).sum(), (x, y), (v, v)))
        show(product(lambda x: x.sum(), x, v))
        show(product(lambda x: (x**3).sum(), leaf(t, [2.0])))
        show.fails(lambda p=product: p(lambda x: (x**3).sum(), x))
        show.fails(lambda p=product: p(lambda x: x**3, x, v))
        show.fails(lambda p=product: p(lambda x: (x**3).sum(), x, v[:2]))
        show.fails(lambda p=product: p(lambda x: x.sum(), x, v, strict=True))
        out, g = product(lambda x: (x**4).sum(), x, v, create_graph=True)
        show(out.requires_grad, g.requires_grad, t.autograd.grad(g.sum(), x))


def functional_leaves_the_inputs_alone(t, show):
    x = leaf(t)
    t.autograd.functional.jacobian(lambda x: x**2, x)
    t.autograd.functional.hessian(lambda x: (x**2).sum(), x)
    show(x.grad, x.requires_grad, x.is_leaf, x._version)
    p = t.ones(2, dtype=t.float64)
    t.autograd.functional.jacobian(lambda x: x**2, p)
    show(p.requires_grad)
    with t.no_grad():
        show(t.autograd.functional.jacobian(lambda x: x**2, p))
        show(t.autograd.functional.hessian(lambda x: (x**2).sum(), p))
        show(t.autograd.functional.vjp(lambda x: x.sum(), p))


def inputs_not_edited_by_the_function(t, show):
    x = t.ones(2, dtype=t.float64)
    show.fails(lambda: t.autograd.functional.jacobian(lambda x: x.mul_(2), x))
    show(x)
