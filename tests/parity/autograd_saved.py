"""Programs about values that nodes keep and somebody edits; see shown.py."""

from shown import four


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
