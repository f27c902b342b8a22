"""Programs about how a `Function` is called, and what goes wrong in it; see shown.py."""

from shown import cube, leaf


def once_differentiable(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        @t.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            show(t.is_grad_enabled())
            return g * 2 * x

    x = leaf(t)
    F.apply(x).sum().backward()
    show(x.grad)
    (g,) = t.autograd.grad(F.apply(x).sum(), x, create_graph=True)
    show(g, g.requires_grad)
    show.fails(lambda: t.autograd.grad(g.sum(), x))


def instance_and_calls(t, show):
    C = cube(t)
    show.fails(lambda: C()(leaf(t)))
    show.fails(lambda: C.forward(leaf(t)))
    show.fails(lambda: C.apply())
    show.fails(lambda: C.apply(leaf(t), leaf(t)))
    show.fails(lambda: C.apply(t.ones(2)).requires_grad)
    show.fails(lambda: C.apply(3))


def without_forward_or_backward(t, show):
    class NoForward(t.autograd.Function):
        @staticmethod
        def backward(ctx, g):
            return g

    class NoBackward(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    show.fails(lambda: NoForward.apply(leaf(t)))
    y = NoBackward.apply(leaf(t))
    show(y.requires_grad)
    show.fails(lambda: y.sum().backward())


def vjp_and_jvp(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = leaf(t)
    F.apply(x).sum().backward()
    show(x.grad)

    class Both(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def vjp(ctx, g):
            return g

        @staticmethod
        def backward(ctx, g):
            return g

    show.fails(lambda: Both.apply(x * 1).sum().backward())


def errors_in_forward_and_backward(t, show):
    def made(where):
        class F(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                if where == "forward":
                    raise ZeroDivisionError
                return x * 2

            @staticmethod
            def backward(ctx, g):
                raise ZeroDivisionError

        return F

    x = leaf(t)
    show.fails(lambda: made("forward").apply(x))
    show(t.is_grad_enabled())
    y = made("backward").apply(x)
    show.fails(lambda: y.sum().backward())
    show(t.is_grad_enabled(), x.grad)


def under_no_grad(t, show):
    x = leaf(t)
    with t.no_grad():
        y = cube(t).apply(x)
    show(y.requires_grad)
    show(cube(t).apply(x.detach()).requires_grad)


def backward_under_enable_grad(t, show):
    class Inner(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with t.enable_grad():
                y = x.detach().requires_grad_()
                z = y.exp()
            return t.autograd.grad(z, y, g)[0]

    x = leaf(t)
    Inner.apply(x).sum().backward()
    show(x.grad)


def forward_under_enable_grad(t, show):
    class Held(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with t.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = (ctx.x**2).sum()
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, g):
            ctx.y.backward(g)
            return ctx.x.grad

    x = leaf(t)
    (Held.apply(x) * 3).backward()
    show(x.grad)


def inputs_in_lists(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, xs):
            show([x.requires_grad for x in xs], ctx.needs_input_grad)
            return xs[0] * 2

        @staticmethod
        def backward(ctx, g):
            return None

    show(F.apply([leaf(t)]).requires_grad)


def gradient_of_another_dtype(t, show):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.double()

        @staticmethod
        def backward(ctx, g):
            show(g.dtype)
            return g

    x = t.ones(2, requires_grad=True)
    show.fails(lambda: F.apply(x).sum().backward())
    show(x.grad)


def hooks_on_function_outputs(t, show):
    x = leaf(t)
    y = cube(t).apply(x)
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.sum().backward()
    show(y.grad, x.grad)


def attributes_of_function_node(t, show):
    x = leaf(t)
    y = cube(t).apply(x)
    show(y.grad_fn.name(), str(y).split("=")[-1])
    show([type(n[0]).__name__ for n in y.grad_fn.next_functions])
    show(y.grad_fn.saved_tensors, y.grad_fn.needs_input_grad)
