"""Programs about saved values (edited, packed, computed again) and anomaly mode; see shown.py."""

import warnings

from shown import four, leaf


def saved_by_each_operation(t, show):
    ops = {
        "mul": lambda a: a * a,
        "exp": lambda a: a.exp(),
        "sin": lambda a: a.sin(),
        "pow": lambda a: a**3,
        "log": lambda a: a.log(),
        "sqrt": lambda a: a.sqrt(),
        "div": lambda a: a / (a + 1),
        "tanh": lambda a: a.tanh(),
        "sigmoid": lambda a: a.sigmoid(),
        "relu": lambda a: a.relu(),
        "abs": lambda a: a.abs(),
        "matmul": lambda a: a @ a,
        "prod": lambda a: a.prod(),
        "softmax": lambda a: a.softmax(0),
        "log_softmax": lambda a: a.log_softmax(0),
        "logsumexp": lambda a: a.logsumexp(0),
        "norm": lambda a: a.norm(),
        "var": lambda a: a.var(),
        "std": lambda a: a.std(),
        "cumprod": lambda a: a.cumprod(0),
        "clamp": lambda a: a.clamp(0, 3),
        "maximum": lambda a: t.maximum(a, a.flip(0)),
        "max": lambda a: a.max(),
        "amax": lambda a: a.amax(0),
        "gelu": lambda a: t.nn.functional.gelu(a),
        "silu": lambda a: t.nn.functional.silu(a),
        "atan2": lambda a: t.atan2(a, a + 1),
        "lerp": lambda a: t.lerp(a, a * 2, a),
        "erf": lambda a: a.erf(),
        "reciprocal": lambda a: a.reciprocal(),
        "rsqrt": lambda a: a.rsqrt(),
        "square": lambda a: a.square(),
        "addcmul": lambda a: t.addcmul(a, a, a),
        "dot": lambda a: a.dot(a),
        "outer": lambda a: t.outer(a, a),
        "layer_norm": lambda a: t.nn.functional.layer_norm(a, (4,)),
        "cosine": lambda a: t.nn.functional.cosine_similarity(a, a + 1, dim=0),
        "where": lambda a: t.where(a > 2, a, a * 2),
        "add": lambda a: a + a,
        "sum": lambda a: a.sum(),
        "mean": lambda a: a.mean(),
        "cat": lambda a: t.cat([a, a]),
        "neg": lambda a: -a,
        "reshape": lambda a: a.reshape(2, 2) * 2,
        "cumsum": lambda a: a.cumsum(0),
        "index": lambda a: a[t.tensor([0, 0])],
        "floor": lambda a: a.floor(),
        "mul number": lambda a: a * 3,
        "div number": lambda a: a / 3,
        "sort": lambda a: a.sort()[0],
        "topk": lambda a: a.topk(2)[0],
        "masked_fill": lambda a: a.masked_fill(a > 2, 0),
        "flip": lambda a: a.flip(0),
        "roll": lambda a: a.roll(1),
        "asin": lambda a: (a / 9).asin(),
        "hypot": lambda a: t.hypot(a, a + 1),
        "fmod": lambda a: t.fmod(a, 2),
        "remainder": lambda a: t.remainder(a, 2),
        "trace": lambda a: a.reshape(2, 2).trace(),
        "median": lambda a: a.median(),
        "kthvalue": lambda a: a.kthvalue(2)[0],
        "log1p": lambda a: a.log1p(),
        "expm1": lambda a: a.expm1(),
        "bmm": lambda a: a.reshape(1, 2, 2) @ a.reshape(1, 2, 2),
        "einsum": lambda a: t.einsum("i,i->", a, a),
        "normalize": lambda a: t.nn.functional.normalize(a, dim=0),
        "conv1d": lambda a: t.nn.functional.conv1d(
            a.reshape(1, 1, 4), t.ones(1, 1, 2, dtype=t.float64, requires_grad=True)
        ),
        "linear": lambda a: t.nn.functional.linear(
            a, t.ones(1, 4, dtype=t.float64, requires_grad=True)
        ),
        "batch_norm": lambda a: t.nn.functional.batch_norm(
            a.reshape(4, 1), None, None, training=True
        ),
        "dropout": lambda a: t.nn.functional.dropout(a, 0.5),
        "prelu": lambda a: t.nn.functional.prelu(a, t.ones(1, dtype=t.float64, requires_grad=True)),
        "pad": lambda a: t.nn.functional.pad(a, (1, 1)),
        "pow tensor": lambda a: a**a,
        "mish": lambda a: t.nn.functional.mish(a),
        "softmin": lambda a: t.nn.functional.softmin(a, 0),
        "glu": lambda a: t.nn.functional.glu(a, 0),
        "logcumsumexp": lambda a: a.logcumsumexp(0),
        "tan": lambda a: a.tan(),
        "cosh": lambda a: a.cosh(),
        "addmm": lambda a: t.addmm(a.reshape(2, 2), a.reshape(2, 2), a.reshape(2, 2)),
        "baddbmm": lambda a: t.baddbmm(a.reshape(1, 2, 2), a.reshape(1, 2, 2), a.reshape(1, 2, 2)),
        "scatter_add": lambda a: (a * 1).scatter_add(0, t.tensor([0, 1]), a[:2] * 1),
        "kl": lambda a: t.nn.functional.kl_div(a, a.detach() * 0 + 0.5, reduction="sum"),
    }
    for name, op in ops.items():
        for which in ("input", "output"):
            x = four(t)
            a = x * 1
            out = op(a)
            with t.no_grad():
                (a if which == "input" else out).mul_(1)
            show(f"{name} {which}", show.kind(lambda out=out: out.sum().backward()))


def checkpoint_forms(t, show):
    point = t.utils.checkpoint.checkpoint
    calls = []

    def body(x, y, k=1):
        calls.append(t.is_grad_enabled())
        return (x * y * k).exp(), x + 1

    for reentrant in (True, False):
        calls.clear()
        x, y = leaf(t), leaf(t)
        extra = {} if reentrant else {"k": 2}
        a, b = point(body, x, y, use_reentrant=reentrant, **extra)
        show(a, b, a.requires_grad)
        (a.sum() + b.sum()).backward()
        show(x.grad, y.grad, len(calls))


def checkpoint_refused(t, show):
    point = t.utils.checkpoint.checkpoint
    x = leaf(t)
    show.fails(lambda: point(lambda x, k=1: x, x, use_reentrant=True, k=2))
    show.fails(lambda: point(3, x, use_reentrant=False))
    show.fails(lambda: point(lambda: 1, x, use_reentrant=False))
    show.fails(lambda: point(lambda x: x * 2, x.detach(), use_reentrant=False).requires_grad)
    show.fails(lambda: point(lambda x: x * 2, x.detach(), use_reentrant=True).requires_grad)
    show.fails(lambda: t.autograd.grad(point(t.exp, x, use_reentrant=False).sum(), x))
    w = leaf(t)
    show.fails(lambda: point(lambda x: x * w, x.detach(), use_reentrant=False).sum().backward())
    show(w.grad)


def checkpoint_random(t, show):
    point = t.utils.checkpoint.checkpoint
    x = t.ones(100, dtype=t.float64, requires_grad=True)
    seen = []

    def body(x):
        y = t.nn.functional.dropout(x, 0.5)
        seen.append(y.detach().clone())
        return y * y

    for reentrant in (True, False):
        seen.clear()
        t.manual_seed(3)
        point(body, x, use_reentrant=reentrant).sum().backward()
        after = t.rand(1)
        t.manual_seed(3)
        t.nn.functional.dropout(x.detach(), 0.5)
        show(len(seen), bool((seen[0] == seen[-1]).all()), bool((t.rand(1) == after).all()))


def checkpoint_nested(t, show):
    point = t.utils.checkpoint.checkpoint
    calls = []

    def inner(x):
        calls.append("inner")
        return x.exp().sin()

    def outer(x):
        calls.append("outer")
        return point(inner, x * 2, use_reentrant=False) * 3

    x = leaf(t)
    point(outer, x, use_reentrant=False).sum().backward()
    show(x.grad)


def checkpoint_twice_and_double(t, show):
    point = t.utils.checkpoint.checkpoint
    x = leaf(t)
    y = point(lambda x: x**3, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    show(x.grad)
    show.fails(lambda: y.backward())
    z = point(lambda x: x**3, x, use_reentrant=False).sum()
    (g,) = t.autograd.grad(z, x, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), x)
    show(g, h)


def checkpoint_that_changes(t, show):
    point = t.utils.checkpoint.checkpoint
    times = []

    def body(x):
        times.append(1)
        return x.exp().sin() if len(times) == 1 else x.exp()

    x = leaf(t)
    y = point(body, x, use_reentrant=False)
    show.fails(lambda: y.sum().backward())
    show(x.grad)


def checkpoint_with_an_error(t, show):
    point = t.utils.checkpoint.checkpoint
    times = []

    def body(x):
        times.append(1)
        if len(times) == 2:
            raise KeyError("second")
        return x.exp().sin()

    x = leaf(t)
    y = point(body, x, use_reentrant=False)
    show.fails(lambda: y.sum().backward())
    show(x.grad, t.is_grad_enabled())


def checkpoint_under_no_grad(t, show):
    point = t.utils.checkpoint.checkpoint
    x = leaf(t)
    with t.no_grad():
        y = point(lambda x: x * 2, x, use_reentrant=False)
    show(y.requires_grad)


def checkpoint_with_detached_pieces(t, show):
    point = t.utils.checkpoint.checkpoint
    x, w = leaf(t), leaf(t)

    def body(x):
        with t.no_grad():
            k = x.exp()
        return (x * k + w).sin(), None, 3

    out, nothing, three = point(body, x, use_reentrant=False)
    out.sum().backward()
    show(x.grad, w.grad, nothing, three)


def checkpoint_in_sequence(t, show):
    run = t.utils.checkpoint.checkpoint_sequential
    steps = [t.exp, t.sin, t.tanh, t.cos, t.exp]
    for segments in (1, 2, 3, 5):
        x = leaf(t)
        run(steps, segments, x, use_reentrant=False).sum().backward()
        show(x.grad)
    model = t.nn.Sequential(t.nn.Tanh(), t.nn.Sigmoid())
    x = leaf(t)
    run(model, 2, x, use_reentrant=False).sum().backward()
    show(x.grad)


def saved_hooks(t, show):
    seen = []
    x = leaf(t)
    with t.autograd.graph.saved_tensors_hooks(
        lambda s: seen.append("pack") or s, lambda s: seen.append("unpack") or s
    ):
        y = x * 2
        z = y.exp() * y
    show(seen)
    z.sum().backward()
    show(seen.count("pack"), seen.count("unpack"), x.grad)


def saved_hooks_wrong(t, show):
    x = leaf(t)

    def go(pack, unpack):
        with t.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = (x * 1).exp()
        y.sum().backward()
        return x.grad

    show.fails(lambda: go(lambda s: 1 / 0, lambda s: s))
    show.fails(lambda: go(lambda s: s, lambda s: 3))
    show.fails(lambda: go(lambda s: s, lambda s: None))
    show.fails(lambda: go(lambda s: s, lambda s: 1 / 0))
    show.fails(lambda: go(lambda s: s.tolist(), lambda s: t.tensor(s, dtype=t.float64)))


def saved_hooks_nested(t, show):
    seen = []
    hooks = t.autograd.graph.saved_tensors_hooks
    x = leaf(t)
    a = x * 1
    with hooks(lambda s: seen.append("a") or s, lambda s: s):
        with hooks(lambda s: seen.append("b") or s, lambda s: s):
            a.exp()
        a.exp()
    a.exp()
    show(seen)


def save_on_cpu(t, show):
    x = leaf(t)
    with t.autograd.graph.save_on_cpu():
        y = (x * 1).exp()
    y.sum().backward()
    show(x.grad)


def saved_hooks_disabled(t, show):
    graph = t.autograd.graph
    with graph.disable_saved_tensors_hooks("not here"):
        show.fails(lambda: graph.saved_tensors_hooks(lambda s: s, lambda s: s).__enter__())


def anomaly(t, show):
    x = t.tensor([0.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with t.autograd.detect_anomaly():
            y = (x * 0).sqrt() * 0
            show.fails(lambda: y.backward())
        with t.autograd.detect_anomaly(check_nan=False):
            y = (x * 0).sqrt() * 0
            show.fails(lambda: y.backward())
        show(t.is_anomaly_enabled())
        t.autograd.set_detect_anomaly(True)
        show(t.is_anomaly_enabled(), t.is_anomaly_check_nan_enabled())
        t.autograd.set_detect_anomaly(True, check_nan=False)
        show(t.is_anomaly_enabled(), t.is_anomaly_check_nan_enabled())
        t.autograd.set_detect_anomaly(False)
        show(t.is_anomaly_enabled())
        with t.autograd.set_detect_anomaly(True):
            show(t.is_anomaly_enabled())
        show(t.is_anomaly_enabled())


def anomaly_message(t, show):
    x = t.tensor([0.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with t.autograd.detect_anomaly():
            y = (x * 0).sqrt() * 0
            try:
                y.backward()
            except RuntimeError as error:
                show(
                    "SqrtBackward0" in str(error),
                    "returned nan values in its 0th output" in str(error),
                )


def anomaly_with_create_graph(t, show):
    x = leaf(t)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with t.autograd.detect_anomaly():
            (g,) = t.autograd.grad((x**3).sum(), x, create_graph=True)
            g.sum().backward()
    show(x.grad)
