"""Programs about `Function`: gradients, saved tensors, edits; see shown.py."""

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
