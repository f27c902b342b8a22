"""Programs about what a `Function` returns; see shown.py."""

from shown import leaf


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
