"""Programs about `Function`: gradients, saved tensors, edits, what it returns; see shown.py."""

from shown import cube, leaf


def ctx_style(t, show):
    x = leaf(t)
    y = cube(t).apply(x)
    show(y, y.grad_fn.name(), y.requires_grad)
    (g,) = t.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), x, create_graph=True)
    (k,) = t.autograd.grad(h.sum(), x)
    show(g, h, k)


def setup_context_style(t, show):
    seen = []

    class Mul(t.autograd.Function):
        @staticmethod
        def forward(x, y, k):
            seen.append(t.is_grad_enabled())
            return x * y * k, x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, y, k = inputs
            seen.append((type(inputs).__name__, type(output).__name__, len(output)))
            ctx.save_for_backward(x, y)
            ctx.k = k

        @staticmethod
        def backward(ctx, g, h):
            x, y = ctx.saved_tensors
            return g * y * ctx.k + h, g * x * ctx.k + h, None

    x, y = leaf(t), leaf(t, [4.0, 5.0, 6.0])
    a, b = Mul.apply(x, y, 10)
    (a.sum() + b.sum()).backward()
    show(a, b, x.grad, y.grad, seen)
    a, b = Mul.apply(x, y, 10)
    (a.sum()).backward()
    show(x.grad)


def needs_input_grad(t, show):
    seen = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, k, y, z):
            seen.append(ctx.needs_input_grad)
            return x + y + z

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g, None, g, g

    F.apply(leaf(t), 3, t.ones(3, dtype=t.float64), leaf(t)).sum().backward()
    show(seen)


def wrong_number_of_gradients(t, show):
    def made(*answer):
        class F(t.autograd.Function):
            @staticmethod
            def forward(ctx, x, k=None):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return answer if len(answer) != 1 else answer[0]

        return F

    x = leaf(t)
    one = t.ones(3, dtype=t.float64)
    for answer in ((), (one,), (one, None), (one, None, None), (one, one), (one, one, one), (None,),
                   (None, None), (3,), (3, None), (t.ones(2, dtype=t.float64), None),
                   (t.ones(3), None), (t.ones((), dtype=t.float64), None), ("a", None),
                   (t.ones(1, 3, dtype=t.float64), None)):  # fmt: skip
        x.grad = None
        f = made(*answer)
        show.fails(lambda f=f: f.apply(x, 1).sum().backward())
        show(x.grad)
        show.fails(lambda f=f: f.apply(x).sum().backward())


def list_of_gradients(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return [g, g]

    x, y = leaf(t), leaf(t)
    show.fails(lambda: F.apply(x, y).sum().backward())
    show(x.grad, y.grad)


def save_only_tensors(t, show):
    def made(*kept):
        class F(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(*kept)
                return x * 2

            @staticmethod
            def backward(ctx, g):
                show(len(ctx.saved_tensors), [s is None for s in ctx.saved_tensors])
                return g

        return F

    x = leaf(t)
    for kept in ((3,), ([1],), (None,), (t.ones(2), None), (), ("a",), (x.detach(),)):
        f = made(*kept)
        show.fails(lambda f=f: f.apply(x).sum().backward())


def saved_tensors_twice(t, show):
    x = leaf(t)
    y = cube(t).apply(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    show(x.grad)
    show.fails(lambda: y.backward())


def saved_input_edited(t, show):
    x = leaf(t)
    a = x * 1
    y = cube(t).apply(a)
    a.add_(1)
    show.fails(lambda: y.sum().backward())


def save_output(t, show):
    class Exp(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

    x = leaf(t)
    show(t.autograd.gradcheck(Exp.apply, (x,)), t.autograd.gradgradcheck(Exp.apply, (x,)))
    y = Exp.apply(x)
    y.mul_(2)
    show.fails(lambda: y.sum().backward())


def save_intermediate(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a = x * 2
            ctx.save_for_backward(a)
            ctx.extra = a
            return a * a

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            show(a.requires_grad, ctx.extra.requires_grad)
            return g * 4 * a

    x = leaf(t)
    F.apply(x).sum().backward()
    show(x.grad)


def mark_dirty(t, show):
    class Double_(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf(t)
    a = x * 1
    b = Double_.apply(a)
    show(a is b, a, a.grad_fn.name())
    (b * 3).sum().backward()
    show(x.grad)
    show.fails(lambda: Double_.apply(leaf(t)))
    v = (x * 1)[:2]
    show.fails(lambda: Double_.apply(v).requires_grad)
    plain = t.ones(2)
    show(Double_.apply(plain) is plain, plain)


def mark_dirty_not_returned(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g

    show.fails(lambda: F.apply(leaf(t) * 1).requires_grad)


def mark_dirty_view_of_graph(t, show):
    class Double_(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf(t)
    a = x * 1
    v = a[:2]
    Double_.apply(v)
    a.sum().backward()
    show(x.grad, a)


def mark_non_differentiable(t, show):
    class Sort(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            values, places = x.sort()
            extra = x * 2
            ctx.mark_non_differentiable(places, extra)
            ctx.save_for_backward(places)
            return values, places, extra

        @staticmethod
        def backward(ctx, g, none, other):
            show(none is None or none, other)
            (places,) = ctx.saved_tensors
            return t.zeros_like(g).scatter_add(0, places, g)

    x = leaf(t, [3.0, 1.0, 2.0])
    values, places, extra = Sort.apply(x)
    show(values.requires_grad, places.requires_grad, extra.requires_grad, places.dtype)
    (values * t.tensor([1.0, 10.0, 100.0], dtype=t.float64)).sum().backward()
    show(x.grad)


def all_outputs_non_differentiable(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x > 1
            ctx.mark_non_differentiable(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return None

    y = F.apply(leaf(t))
    show(y, y.requires_grad, y.is_leaf)


def materialized_gradients(t, show):
    def made(materialize):
        class Two(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 2, t.ones(2, 2, dtype=t.float32) * x[0]

            @staticmethod
            def backward(ctx, g, h):
                show(g, h)
                return None if g is None else g * 2

        return Two

    for flag in (True, False):
        x = leaf(t)
        a, b = made(flag).apply(x)
        show(a.dtype, b.dtype)
        a.sum().backward(retain_graph=True)
        show(x.grad)
        b.sum().backward()
        show(x.grad)


def input_returned_as_is(t, show):
    class Same(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 10

    x = leaf(t)
    y = Same.apply(x)
    show(y is x, y.requires_grad, y.is_leaf, y.grad_fn.name(), y)
    y.sum().backward()
    show(x.grad, x.is_leaf)
    p = t.ones(2)
    show(Same.apply(p) is p)


def view_returned(t, show):
    class Part(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:2]

        @staticmethod
        def backward(ctx, g):
            return t.cat([g, g[:1] * 0])

    x = leaf(t)
    a = x * 1
    y = Part.apply(a)
    y.sum().backward()
    show(y, x.grad)
    show.fails(lambda: Part.apply(x * 1).mul_(2).requires_grad)


def same_output_twice(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            return y, y

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 20

    x = leaf(t)
    show.fails(lambda: [o.requires_grad for o in F.apply(x)])


def outputs_that_are_no_tensors(t, show):
    def made(result):
        class F(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return result(x)

            @staticmethod
            def backward(ctx, *gs):
                show([g is None for g in gs])
                return t.ones(3, dtype=t.float64)

        return F

    for result in (
        lambda x: (x * 2, 3),
        lambda x: (x * 2, None),
        lambda x: (None, x * 2),
        lambda x: [x * 2, x * 3],
        lambda x: None,
        lambda x: 3,
        lambda x: {"a": x * 2},
        lambda x: (x * 2, "a", [1]),
        lambda x: (x * 2,),
        lambda x: (),
    ):
        x = leaf(t)

        def go(result=result, x=x):
            out = made(result).apply(x)
            show(type(out).__name__, out)
            first = [o for o in (out if isinstance(out, tuple) else (out,)) if hasattr(o, "sum")]
            first[0].sum().backward()
            return x.grad

        show.fails(go)
