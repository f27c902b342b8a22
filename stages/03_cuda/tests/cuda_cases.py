"""One line (or a few) for each operation of stage 2: what to compute on both devices."""

import numpy as np
from cuda_comparison import place

import norch_cpu_ops as cpu
from norch_cuda.operations.functions import Functions

F32, F64, I64, I32, U8, BOOL = cpu.float32, cpu.float64, cpu.int64, cpu.int32, cpu.uint8, cpu.bool_
F16, BF16 = cpu.float16, cpu.bfloat16


def _values():
    """The values of the inputs by name, and the dtype they are cast to."""
    rng = np.random.default_rng(7)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 200.0, -200.0, 2.5, -1.5, 0.5])
    x, y = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    single = {
        "f": x, "g": y, "row": y[0], "column": x[:, :1], "point": 1.25,
        "positive": np.abs(x).astype(np.float32) + np.float32(0.1),
        "infinities": [[np.inf, 0.0], [-np.inf, -np.inf], [-np.inf, 0.0]],
        "special": special, "special_turned": special[::-1],
        "cube": rng.normal(size=(4, 3, 37)), "long": rng.normal(size=(3, 700)),
        "longer": rng.normal(size=(5, 3001)),
        "ties": [[1, 3, 3, 0], [2, 2, 1, 2]], "empty": np.zeros((0, 4)),
        "source": rng.normal(size=(4, 5)), "line": np.arange(3),
    }  # fmt: skip
    others = {
        "d": x, "e": np.abs(y) + 0.1,
        "i": np.array([[-7, -2, 0, 3], [2**40 + 1, 5, -1, 9]], dtype=np.int64),
        "j": np.array([[2, -3, 5, -1], [7, 2, 2, -4]], dtype=np.int64),
        "i32": np.array([[-7, 2, 0, 3], [1, 5, -1, 9]], dtype=np.int32),
        "u8": np.array([[250, 2, 0, 3], [1, 5, 255, 9]], dtype=np.uint8),
        "b": np.array([[True, False, True, True], [False, False, True, False]]),
        "c": np.array([[True, True, False, True], [False, True, True, False]]),
        "target": np.array([4, -100, 0], dtype=np.int64),
        "index": np.array([2, 0, 2, 1], dtype=np.int64),
        "index32": np.array([1, 1], dtype=np.int32),
        "minus": np.array([-4, -1, 3], dtype=np.int64),
        "grid": np.array([[2, 0, 2], [1, 1, 0]], dtype=np.int64),
    }  # fmt: skip
    halves = {"half": (x.astype(np.float32), F16), "bfloat16": (y.astype(np.float32), BF16)}
    plain = {name: np.asarray(values, dtype=np.float32) for name, values in single.items()}
    return {name: (values, None) for name, values in (plain | others).items()} | halves


VALUES = _values()


class Inputs:
    """Small arrays of every dtype on one device, none contiguous; made when asked for."""

    def __init__(self, ops):
        self._ops = ops

    def __getattr__(self, name):
        array = place(self._ops, *VALUES[name])
        setattr(self, name, array)
        return array


class Bools(Inputs):
    """The same inputs as bools, but for those that say where something stands."""

    def __getattr__(self, name):
        values, dtype = VALUES[name]
        is_place = name in ("target", "index", "index32", "minus", "grid", "line")
        array = place(self._ops, *(values, dtype) if is_place else (values > 0,))
        setattr(self, name, array)
        return array


def matrices(shape, dtype=np.float32):
    """Values for a product of this shape."""
    return np.random.default_rng(sum(shape)).integers(-4, 5, size=shape).astype(dtype)


def product(o, left, right, dtype=np.float32):
    return o.matmul(place(o, matrices(left, dtype)), place(o, matrices(right, dtype)))


def quantized(o, shape, factor=0.3, bias=True):
    x = o.mul(place(o, matrices(shape)), factor)
    row = place(o, matrices((7,)))
    weight = place(o, np.arange(-3, 4)[:, None] * np.arange(shape[-1]) // 2, cpu.int8)
    return o.linear_int8(x, weight, row, row if bias else None)


def written(o, array, operation, *rest):
    """Result of an in-place operation, together with the version it leaves."""
    before = array.version
    operation(array, *rest)
    assert array.version == before + 1
    return o.clone(array)


def stepped(o, x, momentum, dampening, decay, nesterov, dtype=F32):
    param, grad = o.cast(o.clone(x.f), dtype), o.cast(x.g, dtype)
    buffers = None if momentum == 0 else [o.zeros(param.shape, dtype)]
    for first in (True, False):
        o.sgd_step([param], [grad], buffers, 0.1, momentum, dampening, decay, nesterov, first)
    return param


def adam(o, x, decay, decoupled, amsgrad=False, dtype=F32):
    param, grad = o.cast(o.clone(x.f), dtype), o.cast(x.g, dtype)
    state = [[o.zeros(param.shape, dtype)] for _ in range(3)]
    for step in (1, 2, 3):
        largest = state[2] if amsgrad else None
        o.adam_step([param], [o.mul(grad, 1.0 / step)], state[0], state[1], largest, [step], 0.01,
                    0.9, 0.99, 1e-8, decay, decoupled)  # fmt: skip
    return param


def unary(name, extra=()):
    """Cases of a function of one operand: reals, special values, and the listed inputs."""
    names = ("f", "d", "special", "point", "empty", *extra)
    return [lambda o, x, n=n: getattr(o, name)(getattr(x, n)) for n in names]


def binary(name, extra=()):
    """Cases of a function of two operands: broadcasting, numbers on either side, other dtypes."""
    pairs = [("f", "g"), ("f", "row"), ("row", "column"), ("point", "f"), ("d", "e"),
             ("special", "special_turned"), ("f", 2.5), (2, "f"), *extra]  # fmt: skip

    def pick(x, operand):
        return getattr(x, operand) if isinstance(operand, str) else operand

    return [lambda o, x, a=a, b=b: getattr(o, name)(pick(x, a), pick(x, b)) for a, b in pairs]


WHOLE = [("i", "j"), ("i", 3), ("i32", "j"), ("u8", 2), ("u8", "u8"), ("i", 2.5)]
BITS = [("i", "j"), ("u8", 6), ("b", "c"), ("i32", "u8"), ("b", True)]


def bits(name):
    return binary(name, BITS)[8:]


def reduction(name, whole=True):
    """Cases of a reduction: all, one, several and negative dims, long lines, other dtypes."""
    inputs = [("f", None), ("f", 0), ("f", (1,)), ("cube", (0, 2)), ("cube", 1), ("cube", -1),
              ("long", 1), ("longer", None), ("d", 1), ("point", None)]  # fmt: skip
    if whole:
        inputs += [("i", 1), ("u8", 0), ("b", None), ("i32", None)]
    return [lambda o, x, n=n, d=d: getattr(o, name)(getattr(x, n), d) for n, d in inputs] + [
        lambda o, x: getattr(o, name)(x.cube, 1, keepdim=True)
    ]


CASES = {
    # creation and copies
    "full": [lambda o, x: o.full((2, 3), 2.5, F32), lambda o, x: o.full((2,), 2**62 + 1, I64),
             lambda o, x: o.full((2,), 3.7, I32), lambda o, x: o.full((2,), True, BOOL),
             lambda o, x: o.full((2,), 1.5, F16)],
    "zeros": [lambda o, x: o.zeros((2, 0, 3), F32), lambda o, x: o.zeros((4,), U8)],
    "ones": [lambda o, x: o.ones((2, 3), F64), lambda o, x: o.ones((), BF16)],
    "arange": [lambda o, x: o.arange(0, 10, 3, I64), lambda o, x: o.arange(1.0, 0.0, -0.25, F32),
               lambda o, x: o.arange(5, 5, 1, I32)],
    "from_list": [lambda o, x: o.from_list([[1, 2], [3, 4]]), lambda o, x: o.from_list([1.5, 2.5]),
                  lambda o, x: o.from_list([True, False])],
    "from_buffer": [lambda o, x: o.from_buffer(np.arange(6.0).reshape(2, 3).T)],
    "from_cpu": [lambda o, x: o.from_cpu(cpu.ops.from_list([1.0, 2.0]))],
    "contiguous": [lambda o, x: o.contiguous(x.f), lambda o, x: o.contiguous(x.bfloat16)],
    "clone": [lambda o, x: o.clone(x.cube), lambda o, x: o.clone(x.b),
              lambda o, x: o.clone(x.half)],
    "cast": [lambda o, x, n=n, t=t: o.cast(getattr(x, n), t)
             for n in ("f", "d", "i", "i32", "u8", "b", "half", "bfloat16")
             for t in (F32, F64, I64, I32, U8, BOOL, F16, BF16)
             if not (t is U8 and n in ("f", "d", "half", "bfloat16"))],
    "cat": [lambda o, x: o.cat([x.f, x.g], 0), lambda o, x: o.cat([x.f, x.column, x.g], 1),
            lambda o, x: o.cat([x.i, x.i32], -1), lambda o, x: o.cat([x.row], 0)],
    "stack": [lambda o, x: o.stack([x.f, x.g], 0), lambda o, x: o.stack([x.f, x.d], -1),
              lambda o, x: o.stack([x.point, x.point], 0)],
    "copy_": [lambda o, x: written(o, o.clone(x.f), o.copy_, x.row),
              lambda o, x: written(o, o.clone(x.i), o.copy_, x.u8),
              lambda o, x: written(o, x.f, o.copy_, x.column)],
    "fill_": [lambda o, x: written(o, x.f, o.fill_, 3), lambda o, x: written(o, x.i, o.fill_, -2)],
    # elementwise: every function of reals alike; below, those that want other inputs
    **{name: unary(name, ("i32", "b", "half")) for name in vars(Functions) if name[0] != "_"},
    "neg": unary("neg", ("i", "i32", "u8", "half")),
    "abs": unary("abs", ("i", "i32", "u8")),
    "sign": unary("sign", ("i", "u8")),
    "square": unary("square", ("i", "half")),
    "relu": unary("relu", ("i", "bfloat16")),
    "floor": unary("floor", ("i",)),
    "ceil": unary("ceil", ("i",)),
    "round": unary("round", ("i",)),
    "trunc": unary("trunc", ("i",)),
    "log": unary("log", ("positive", "u8")),
    "log1p": unary("log1p", ("positive",)),
    "log2": unary("log2", ("positive",)),
    "sqrt": unary("sqrt", ("positive", "u8")),
    "rsqrt": unary("rsqrt", ("positive",)),
    "sin": [lambda o, x: o.sin(x.f), lambda o, x: o.sin(x.d), lambda o, x: o.sin(x.i32)],
    "cos": [lambda o, x: o.cos(x.f), lambda o, x: o.cos(x.d), lambda o, x: o.cos(x.bfloat16)],
    "tan": [lambda o, x: o.tan(x.f), lambda o, x: o.tan(x.d)],
    "reciprocal": unary("reciprocal", ("i",)),
    "isnan": unary("isnan", ("i", "b")),
    "isinf": unary("isinf", ("i",)),
    "isfinite": unary("isfinite", ("u8",)),
    "logical_not": unary("logical_not", ("i", "b")),
    "bitwise_not": [lambda o, x, n=n: o.bitwise_not(getattr(x, n)) for n in ("i", "u8", "b")],
    "add": binary("add", [*WHOLE, ("b", "c"), ("half", "bfloat16"), ("half", "f"), ("b", 2),
                          ("i", "point")]),
    "sub": binary("sub", WHOLE),
    "mul": binary("mul", [*WHOLE, ("b", "c"), ("half", 2.0)]),
    "div": binary("div", [*WHOLE, ("b", "c"), ("half", "half")]),
    "floor_divide": binary("floor_divide", [("i", "j"), ("i", 3), ("i32", "j"), ("i", 2.5)]),
    "remainder": binary("remainder", [("i", "j"), ("i", 3), ("i32", "j"), ("u8", 7), ("i", 2.5)]),
    "fmod": binary("fmod", [("i", "j"), ("i", 3), ("i32", "j"), ("u8", 7)]),
    "pow": binary("pow", [("i", 3), ("i32", 2), ("u8", 2), ("i", "u8"), ("positive", -0.5)]),
    "maximum": binary("maximum", WHOLE),
    "minimum": binary("minimum", WHOLE),
    "atan2": binary("atan2", [("i32", "i32")]),
    "eq": binary("eq", [*WHOLE, ("b", "c"), ("f", "f")]),
    "ne": binary("ne", [*WHOLE, ("b", "c")]),
    "lt": binary("lt", WHOLE),
    "le": binary("le", WHOLE),
    "gt": binary("gt", WHOLE),
    "ge": binary("ge", WHOLE),
    "logical_and": binary("logical_and", [("i", "j"), ("b", "c")]),
    "logical_or": binary("logical_or", [("i", "j"), ("b", "c")]),
    "logical_xor": binary("logical_xor", [("i", "j"), ("b", "c")]),
    "bitwise_and": bits("bitwise_and"),
    "bitwise_or": bits("bitwise_or"),
    "bitwise_xor": bits("bitwise_xor"),
    "add_": [lambda o, x: written(o, x.f, o.add_, x.row), lambda o, x: written(o, x.i, o.add_, 2),
             lambda o, x: written(o, x.f, o.add_, x.f)],
    "sub_": [lambda o, x: written(o, x.f, o.sub_, x.column), lambda o, x: written(o, x.d,
             o.sub_, 2)],
    "mul_": [lambda o, x: written(o, x.f, o.mul_, x.g), lambda o, x: written(o, x.u8, o.mul_, 2)],
    "div_": [lambda o, x: written(o, x.f, o.div_, x.row), lambda o, x: written(o, x.half,
             o.div_, 2.0)],
    "where": [lambda o, x: o.where(x.b, x.i, x.j), lambda o, x: o.where(x.b, x.i, 1.5),
              lambda o, x: o.where(o.gt(x.f, 0), x.f, x.row), lambda o, x: o.where(x.c, x.b, x.u8),
              lambda o, x: o.where(o.gt(x.f, 0), x.half, 0.0)],
    "clamp": [lambda o, x: o.clamp(x.f, -0.5, 0.5), lambda o, x: o.clamp(x.special, min=-1.0),
              lambda o, x: o.clamp(x.i, max=3), lambda o, x: o.clamp(x.d, max=0.0)],
    # reductions
    "sum": [*reduction("sum"), lambda o, x: o.sum(x.empty, 0), lambda o, x: o.sum(x.special),
            *(lambda o, x, d=d: o.sum(o.cast(o.clone(x.long), d), 0) for d in (F32, F64, I64))],
    "prod": [*reduction("prod"), lambda o, x: o.prod(x.empty, 0)],
    "mean": [*reduction("mean", whole=False), lambda o, x: o.mean(x.half, 1)],
    "var": [*reduction("var", whole=False), lambda o, x: o.var(x.f, 1, correction=0)],
    "amax": [*reduction("amax"), lambda o, x: o.amax(x.special)],
    "amin": [*reduction("amin"), lambda o, x: o.amin(x.special)],
    "any": [*reduction("any"), lambda o, x: o.any(x.empty)],
    "all": [*reduction("all"), lambda o, x: o.all(x.empty)],
    "argmax": [lambda o, x: o.argmax(x.cube), lambda o, x: o.argmax(x.cube, 1),
               lambda o, x: o.argmax(x.ties, 1), lambda o, x: o.argmax(x.special),
               lambda o, x: o.argmax(x.i, 0, keepdim=True), lambda o, x: o.argmax(x.long, 1),
               lambda o, x: o.argmax(x.point), lambda o, x: o.argmax(x.u8, -1)],
    "argmin": [lambda o, x: o.argmin(x.cube), lambda o, x: o.argmin(x.cube, 1),
               lambda o, x: o.argmin(x.ties, 1), lambda o, x: o.argmin(x.special),
               lambda o, x: o.argmin(x.i32, 0), lambda o, x: o.argmin(x.long, 1)],
    "max": [lambda o, x: o.max(x.cube, 1), lambda o, x: o.max(x.ties, -1, keepdim=True)],
    "min": [lambda o, x: o.min(x.cube, 0), lambda o, x: o.min(x.i, 1)],
    "cumsum": [lambda o, x: o.cumsum(x.cube, 2), lambda o, x: o.cumsum(x.cube, 0),
               lambda o, x: o.cumsum(x.long, 1), lambda o, x: o.cumsum(x.b, 1),
               lambda o, x: o.cumsum(x.i, 0)],
    # linear algebra: inner dimensions around and above the tile of 16, see pitfalls
    "matmul": [lambda o, x, a=a, b=b: product(o, a, b) for a, b in [
        ((3, 5), (5, 2)), ((16, 16), (16, 16)), ((17, 33), (33, 18)), ((1, 50), (50, 1)),
        ((5,), (5,)), ((5,), (5, 3)), ((2, 5), (5,)), ((4, 2, 3), (4, 3, 5)), ((2, 3), (4, 3, 5)),
        ((2, 1, 3, 4), (5, 4, 2)), ((2, 3, 4), (4,)), ((3, 0), (0, 2)), ((0, 3), (3, 2))]]
        + [lambda o, x: product(o, (3, 20), (20, 4), np.float64),
           lambda o, x: product(o, (3, 20), (20, 4), np.int64),
           lambda o, x: product(o, (3, 20), (20, 4), np.int32)],
    "linear": [lambda o, x: o.linear(place(o, matrices((4, 20))), place(o, matrices((7, 20)))),
               lambda o, x: o.linear(place(o, matrices((2, 3, 20))), place(o, matrices((7, 20))),
                                     place(o, matrices((7,))))],
    "linear_int8": [lambda o, x, s=s: quantized(o, s)
                    for s in [(4, 20), (2, 3, 20), (20,), (0, 20), (4, 0)]]
        + [lambda o, x, f=f: quantized(o, (4, 20), f) for f in [0.0, float("inf"), 1e-42]]
        + [lambda o, x: quantized(o, (3, 20), bias=False)],
    # softmax family
    "softmax": [lambda o, x: o.softmax(x.f, 1), lambda o, x: o.softmax(x.cube, 0),
                lambda o, x: o.softmax(x.d, -1), lambda o, x: o.softmax(x.long, 1),
                lambda o, x: o.softmax(o.mul(x.f, 200.0), 1), lambda o, x: o.softmax(x.half, 1),
                lambda o, x: o.softmax(x.infinities, 1)],
    "log_softmax": [lambda o, x: o.log_softmax(x.f, 1), lambda o, x: o.log_softmax(x.cube, 1),
                    lambda o, x: o.log_softmax(o.mul(x.f, 200.0), 0),
                    lambda o, x: o.log_softmax(x.infinities, 1)],
    "logsumexp": [lambda o, x: o.logsumexp(x.f, 1), lambda o, x: o.logsumexp(x.cube, (0, 2)),
                  lambda o, x: o.logsumexp(x.d, 0, keepdim=True)],
    "cross_entropy": [lambda o, x: o.cross_entropy(x.f, x.target),
                      lambda o, x: o.cross_entropy(o.mul(x.d, 200.0), x.target)],
    "cross_entropy_backward": [
        lambda o, x: o.cross_entropy_backward(x.line, x.f, o.logsumexp(x.f, 1), x.target),
        lambda o, x: o.cross_entropy_backward(
            o.sum(x.line), x.f, o.logsumexp(x.f, 1), x.target)],
    # indices
    "index_select": [lambda o, x: o.index_select(x.f, 0, x.index),
                     lambda o, x: o.index_select(x.i, -1, x.index),
                     lambda o, x: o.index_select(x.b, 0, x.index32)],
    "index_add": [lambda o, x: o.index_add(x.f, 0, x.index, x.source),
                  lambda o, x: o.index_add(x.i, 1, x.index, x.j),
                  lambda o, x: o.index_add(x.u8, 1, x.index, x.u8),
                  lambda o, x: o.index_add(x.d, 0, x.index32, o.cast(o.clone(x.d), F64).view(
                      x.d.layout._replace(shape=(2, 5), strides=(5, 1), offset=0)))],
    "index_copy_": [lambda o, x: written(o, o.clone(x.f), o.index_copy_, 0, x.index, x.source),
                    lambda o, x: written(o, o.clone(x.i), o.index_copy_, 1, x.index, x.j),
                    lambda o, x: written(o, x.u8, o.index_copy_, -1, x.index, x.u8)],
    "ravel_multi_index": [lambda o, x: o.ravel_multi_index([x.index], (3,), (0,)),
                          lambda o, x: o.ravel_multi_index([x.grid, x.minus], (4, 5, 3), (2, 0)),
                          lambda o, x: o.ravel_multi_index([x.index32, x.index32], (3, 2), (1, 0))],
    "gather": [lambda o, x: o.gather(x.f, 0, x.grid), lambda o, x: o.gather(x.i, 1, x.grid)],
    "scatter_add": [lambda o, x: o.scatter_add(x.f, 0, x.grid, x.g),
                    lambda o, x: o.scatter_add(x.i, 1, x.grid, x.j),
                    lambda o, x: o.scatter_add(x.i32, 1, x.grid, x.i32)],
    # random numbers
    "uniform": [lambda o, x: o.uniform((3, 7), -1.0, 2.0, F32, 42, 5),
                lambda o, x: o.uniform((9,), 0, 1, F64, 1, 0),
                lambda o, x: o.uniform((5,), 0, 1, F16, 2**64 - 1, 2**33)],
    "normal": [lambda o, x: o.normal((3, 7), 0.0, 1.0, F32, 42, 5),
               lambda o, x: o.normal((9,), 1, 2, F64, 1, 0)],
    "randint": [lambda o, x: o.randint((20,), -3, 4, 42, 1),
                lambda o, x: o.randint((5,), 0, 2**62 + 1, 3, 0)],
    "randperm": [lambda o, x: o.randperm(10, 42, 0)],
    "bernoulli": [lambda o, x: o.bernoulli((30,), 0.3, F32, 42, 0),
                  lambda o, x: o.bernoulli((5,), 1.0, BOOL, 1, 0)],
    # optimizers
    "sgd_step": [lambda o, x: stepped(o, x, 0.0, 0.0, 0.0, False),
                 lambda o, x: stepped(o, x, 0.9, 0.1, 0.01, False),
                 lambda o, x: stepped(o, x, 0.9, 0.0, 0.0, True),
                 lambda o, x: stepped(o, x, 0.9, 0.0, 0.01, True, F16)],
    "adam_step": [lambda o, x: adam(o, x, 0.0, False),
                  lambda o, x: adam(o, x, 0.1, False, amsgrad=True),
                  lambda o, x: adam(o, x, 0.1, True, dtype=F64),
                  lambda o, x: adam(o, x, 0.1, True, amsgrad=True, dtype=BF16)],
}  # fmt: skip

# Compared elsewhere, or with nothing to compare.
ELSEWHERE = {
    "empty": "its elements are undefined",
    "share_buffer": "a device cannot use host memory in place: refused, see test_errors",
    "to_cpu": "every comparison goes through it",
}
