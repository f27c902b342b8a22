"""Cases of order and place: sorting, running results, counting, scattering."""

import numpy as np
from cuda_cases import F32, F64, I32, I64
from cuda_comparison import place
from cuda_image_cases import drawn

WAYS = ("sum", "prod", "mean", "amax", "amin")


def with_ties(o, shape, dtype="float32"):
    """Few different values, negative ones among them, and (real dtypes) two NaNs and a -0."""
    values = np.random.default_rng(len(shape)).integers(-3, 4, size=shape).astype(dtype)
    if values.dtype.kind == "f" and values.size > 9:
        values.flat[[2, 7]] = np.nan
        values.flat[4] = -0.0
    return place(o, values)


def each(name, dims, *more, **options):
    """Cases along several dims, with ties, NaNs, long lines and other dtypes."""
    inputs = [("ties", -1), ("cube", 0), ("cube", 1), ("special", 0), ("i", 1), ("u8", 0),
              ("half", 1), ("point", 0), ("d", -1), *dims]  # fmt: skip
    return [lambda o, x, n=n, d=d: getattr(o, name)(getattr(x, n), *more, d, **options)
            for n, d in inputs]  # fmt: skip


def running(name):
    return [
        *each(name, [("long", 1), ("empty", 1), ("bfloat16", 0)]),
        lambda o, x: getattr(o, name)(with_ties(o, (3, 40)), 1),
    ]


def reduced(o, x, array, index, source, reduce, dim, include_self):
    given = [getattr(x, n) if isinstance(n, str) else n for n in (array, index, source)]
    return o.scatter_reduce(given[0], dim, *given[1:], reduce, include_self)


def looked_up(o, index, num, *more, dtype=F32):
    """The gradient of an embedding of width 5 with this index."""
    index = place(o, np.asarray(index, dtype=np.int64))
    grad = o.cast(drawn(o, (*index.shape, 5), 1), dtype)
    return o.embedding_backward(grad, index, num, *more)


def counted(o, x, weights=None, minlength=0, dtype="int64"):
    values = np.array([3, 1, 1, 0, 7, 3, 3], dtype=dtype)
    given = None if weights is None else drawn(o, values.shape, 3, weights)
    return o.bincount(place(o, values), given, minlength)


CASES = {
    # order
    "sort": [
        *each("sort", [("long", 1), ("empty", 1), ("b", 1), ("bfloat16", 0)]),
        *(lambda o, x, d=d: o.sort(with_ties(o, (4, 9)), 1, descending=d) for d in (False, True)),
        lambda o, x: o.sort(with_ties(o, (3, 33), "int32"), 1, descending=True),
        lambda o, x: o.sort(drawn(o, (1100,), 4), 0, stable=True),
    ],
    "topk": [
        *each("topk", [("long", 1)], 1),
        *(lambda o, x, k=k, g=g: o.topk(with_ties(o, (4, 9)), k, 1, largest=g)
          for k in (0, 3, 9) for g in (True, False)),
    ],
    "kthvalue": [
        *each("kthvalue", [("long", 1)], 1),
        lambda o, x: o.kthvalue(with_ties(o, (5, 9)), 4, 0, keepdim=True),
    ],
    "median": [
        *each("median", [("long", 1)]),
        lambda o, x: o.median(with_ties(o, (4, 9)), 0),
        lambda o, x: o.median(with_ties(o, (4, 9)), 1, keepdim=True),
    ],
    "unique": [
        *(lambda o, x, n=n: o.unique(getattr(x, n))
          for n in ("ties", "i", "u8", "b", "half", "point", "empty")),
        lambda o, x: o.unique(with_ties(o, (5, 7))),
    ],
    # running
    "cumprod": running("cumprod"),
    "cummax": running("cummax"),
    "cummin": running("cummin"),
    "logcumsumexp": [
        lambda o, x: o.logcumsumexp(x.cube, 2), lambda o, x: o.logcumsumexp(x.d, 0),
        lambda o, x: o.logcumsumexp(o.mul(x.long, 100.0), 1),
        lambda o, x: o.logcumsumexp(x.half, 1),
        lambda o, x: o.logcumsumexp(x.special_turned, 0), lambda o, x: o.logcumsumexp(x.point, 0),
        lambda o, x: o.logcumsumexp(place(o, np.float32([-np.inf, -np.inf, 1, np.inf, 2])), 0),
    ],
    # counting
    "bincount": [
        lambda o, x: counted(o, x), lambda o, x: counted(o, x, minlength=12),
        lambda o, x: counted(o, x, "float32"), lambda o, x: counted(o, x, "float64"),
        lambda o, x: counted(o, x, dtype="uint8"), lambda o, x: o.bincount(o.zeros((0,), I32)),
        lambda o, x: counted(o, x, minlength=1500),
    ],
    "histc": [
        lambda o, x: o.histc(x.cube, 7, -1.0, 1.0), lambda o, x: o.histc(x.d, 3, 0.0, 0.0),
        lambda o, x: o.histc(x.special, 4, -2.0, 3.0), lambda o, x: o.histc(x.point, 5, 0, 0),
        lambda o, x: o.histc(x.half, 4, -1, 1),
        lambda o, x: o.histc(o.from_list([-3e38, 0.0, 3e38]), 9, -3e38, 3e38),
    ],
    "searchsorted": [
        *(lambda o, x, r=r: o.searchsorted(place(o, np.float32([-1, 0, 0, 0.5, 2])), x.f, right=r)
          for r in (False, True)),
        lambda o, x: o.searchsorted(o.sort(x.f, 1)[0], x.g),
        lambda o, x: o.searchsorted(place(o, np.arange(-5, 6)), x.i, True),
        lambda o, x: o.searchsorted(place(o, np.float32([0, 1, np.nan])), x.special),
        lambda o, x: o.searchsorted(x.row, o.zeros((0, 2), F32)),
    ],
    "nonzero": [
        lambda o, x: o.nonzero(x.ties), lambda o, x: o.nonzero(x.b), lambda o, x: o.nonzero(x.i),
        lambda o, x: o.nonzero(x.point), lambda o, x: o.nonzero(x.empty),
        lambda o, x: o.nonzero(o.gt(x.cube, 0.5)), lambda o, x: o.nonzero(x.special),
    ],
    # scattering
    "scatter": [
        lambda o, x: o.scatter(x.f, 0, x.grid, x.g), lambda o, x: o.scatter(x.i, 1, x.grid, x.j),
        lambda o, x: o.scatter(x.b, 1, x.grid, x.c), lambda o, x: o.scatter(x.half, 0, x.grid,
                                                                           x.half),
        lambda o, x: o.scatter(x.f, 0, o.zeros((0, 5), I64), x.g),
    ],
    "scatter_reduce": [
        *(lambda o, x, w=w, s=s: reduced(o, x, "f", "grid", "g", w, 0, s)
          for w in WAYS for s in (True, False)),
        *(lambda o, x, w=w, s=s: reduced(o, x, "i", "grid", "j", w, 1, s)
          for w in WAYS for s in (True, False)),
        lambda o, x: reduced(o, x, "d", "grid", "d", "mean", 1, True),
        lambda o, x: reduced(o, x, "half", "grid", "half", "amax", 0, False),
        lambda o, x: o.scatter_reduce(with_ties(o, (3, 5)), 0, x.grid, with_ties(o, (4, 5)),
                                      "amin"),
    ],
    "embedding_backward": [
        lambda o, x: looked_up(o, [2, 0, 2, 5], 6), lambda o, x: looked_up(o, [[1, 1], [3, 0]], 4),
        lambda o, x: looked_up(o, [2, 0, 2, 5, 2], 6, 0, True),
        lambda o, x: looked_up(o, [2, 0, 2], 3, 2, dtype=F64),
        lambda o, x: looked_up(o, [0, 0, 1], 2, -1, True), lambda o, x: looked_up(o, [], 2),
    ],
}  # fmt: skip
