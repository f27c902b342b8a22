"""The same bits with any number of threads: every case of the tables in larger sizes, and products,
convolutions, sums and steps that threads share, forward and backward.

Needs no PyTorch. Chunks are cut where the number of threads says: so a result may depend neither
on where they are cut, nor on how a loop rounds its vectors and its rest.
"""

import functools
import hashlib
import itertools
import math
import re

import numpy as np
import pytest
from cases_forms import FORMS
from cases_functional import FUNCTIONAL
from cases_modules import MODULES
from cases_optim import OPTIMIZER_CASES
from cases_pointwise import POINTWISE
from cases_shapes import SHAPE_CASES
from compare import (
    KINDS,
    LAYOUTS,
    NAMES,
    Slicer,
    gradients,
    is_tensor,
    learnable,
    numpy_of,
    parts_of,
    tensor_in,
)

import norch
import norch_cpu_ops as cpu
from norch_cpu_ops import lapack

THREADS = (1, 2, 3, 4, 8)
DTYPES = ("float32", "float64", "float16", "bfloat16")
SIZES = (1031, 521, 263, 131, 67, 37, 23, 11)  # primes: no chunk ends with a row
MOST = 20_000  # numbers of an input: several chunks of whatever is dear
LEFT_OUT = ("combinations", "diagflat", "kron", "cartesian", "lu_unpack", "seed", "default_gen")
TABLES = POINTWISE + SHAPE_CASES + FUNCTIONAL + FORMS
LAYERS = [(f"filled({text})({', '.join(NAMES[: len(i.split())])})", i) for text, i in MODULES]
CASES = sorted({c: None for c in TABLES + LAYERS if not any(w in c[0] for w in LEFT_OUT)})
NAME = re.compile(r"\b(?:[tFxyz]|nn|linalg|special)\.((?!nn|linalg|special)\w+)")
# Sizes just above what a second thread is worth, odd ones, one long row, many short ones.
SHARED = """
F.conv2d(x, y)                              # f1,96,32,24 f6,96,3,3
F.conv2d(x, y, z, padding=1)                # f3,19,29,31 f37,19,3,3 f37
F.conv2d(x, y, stride=2, padding=2)         # f2,33,27,25 f41,33,5,5
F.conv2d(x, y)                              # f5,130,7,9 f67,130,1,1
F.conv2d(x, y, groups=3)                    # f3,33,21,23 f39,11,3,3
F.conv2d(x, y, groups=37, padding=1)        # f3,37,33,29 f37,1,3,3
F.conv2d(x, y, dilation=2)                  # f5,5,37,41 f3,5,3,3
F.conv1d(x, y, padding=3)                   # f5,17,1031 f23,17,7
F.conv3d(x, y, padding=1)                   # f2,9,7,11,13 f19,9,3,3,3
F.conv_transpose2d(x, y, stride=2)          # f3,35,13,17 f35,21,3,3
x @ y                                       # f131,517 f517,129
x @ y                                       # f1031,67 f67,70
x @ y.T                                     # f67,301 f1029,301
x.T @ y                                     # f1027,66 f1027,97
x @ y                                       # f6,864 f864,768
x @ y                                       # f2053,131 f131
x @ y                                       # f131 f131,2053
x.T @ y                                     # f131,2053 f131
x.T @ y                                     # f100,2053 f100
x @ y                                       # f7,131,67 f7,67,261
x @ y                                       # f2,3,67,301 f301,259
F.linear(x, y, z)                           # f3,131,263 f521,263 f521
F.linear(x, y, z)                           # f1,784 f2053,784 f2053
t.bmm(x, y)                                 # f37,33,65 f37,65,31
t.baddbmm(x, y, z)                          # f3,131,129 f3,131,127 f3,127,129
F.bilinear(x, y, z)                         # f131,37 f131,41 f11,37,41
F.scaled_dot_product_attention(x, y, z)     # f2,3,131,33 f2,3,137,33 f2,3,137,37
F.scaled_dot_product_attention(x, y, z, is_causal=True)  # f1,1,521,17 f1,1,521,17 f1,1,521,17
filled(nn.LSTM(37, 67))(x)                  # f11,33,37
filled(nn.GRU(37, 67, bidirectional=True))(x)            # f11,33,37
filled(nn.RNN(37, 67))(x)                   # f11,33,37
filled(nn.LSTMCell(37, 131))(x)             # f67,37
filled(nn.TransformerEncoderLayer(36, 3, 131, 0.0))(x)   # f7,67,36
F.batch_norm(x, None, None, y, z, True)     # f11,37,23,19 f37 f37
F.batch_norm(x, None, None, y, z, True)     # f2053,67 f67 f67
F.layer_norm(x, (67,), y, z)                # f1031,67 f67 f67
F.layer_norm(x, (40009,))                   # f3,40009
F.group_norm(x, 3, y, z)                    # f11,39,23,19 f39 f39
F.instance_norm(x)                          # f11,37,23,19
F.rms_norm(x, (131,), y)                    # f1031,131 f131
F.softmax(x, 0)                             # f67,1031
F.softmax(x, 0), F.log_softmax(x, 0)        # f19,4099
F.softmax(x, 1)                             # f7,131,67
F.log_softmax(x, 0)                         # f131,517
F.softmax(x, -1)                            # f1031,67
t.logsumexp(x, 0)                           # f131,517
F.cross_entropy(x, y)                       # f4099,37 i4099
F.embedding(y, x)                           # f67,131 i521
F.embedding_bag(y, x, mode="mean")          # f67,131 i131,5
x.index_add(0, y, z)                        # f131,131 i521 f521,131
x.index_add(1, y, z)                        # f131,131 i521 f131,521
x.scatter_add(0, y, z)                      # f131,131 i521,131 f521,131
x.scatter_reduce(1, y, z, "mean")           # f131,131 i131,521 f131,521
x.gather(0, y)                              # f131,131 i521,131
x.index_put((y,), z, accumulate=True)       # f131,131 i521 f521,131
x.cumsum(0)                                 # f131,521
x.cumsum(1)                                 # f131,521
x.cumprod(1)                                # p131,521
x.logcumsumexp(0)                           # f131,521
x.sort(0)[0]                                # f521,131
x.topk(7, 1)                                # f131,521
x.median(0)[0]                              # f521,131
x.sum(), x.sum(0), x.sum(1), x.mean(0), x.var(0), x.var(), x.prod(1)  # f521,521
x.sum((0, 2)), x.amax(1), x.norm(), x.std((1, 2)), x.argmax(0)        # f37,521,23
x.sum(), x.mean(), x.var(), x.norm(3), x.cumsum(0)                    # f300007
x.exp(), x.tanh(), F.gelu(x), x + y, x * 3  # f261,131 f131
x.T + y, x.T.sigmoid(), y / 3, t.lerp(x.T, y, 0.3), t.addcmul(y, y, x.T)  # f1031,67 f67,1031
t.where(t.arange(1031) == 700, 99.0, x)[:, 1:].exp()                  # f131,1031
t.where(t.arange(1031) == 700, 1e6, x)[:, 1:].sin()                   # f131,1031
t.pow(t.where(t.arange(1031) == 700, 0.0, x)[:, 1:], y)               # p131,1031 p131,1
x[:, :1029].erf(), F.silu(x[:, 1:]), x[:, 1:] ** 2.5                  # p131,1031
F.max_pool2d(x, 3, 2), F.avg_pool2d(x, 3, 2, 1)                       # f5,23,37,41
F.adaptive_avg_pool2d(x, 7), F.adaptive_max_pool2d(x, 5)              # f5,23,37,41
F.interpolate(x, scale_factor=1.7, mode="bilinear")                   # f3,7,37,41
F.interpolate(x, (67, 71), mode="bicubic")                            # f3,7,37,41
F.grid_sample(x, y)                         # f3,7,37,41 u3,31,29,2
F.unfold(x, 3), F.fold(F.unfold(x, 3), (37, 41), 3)                   # f3,7,37,41
t.cdist(x, y), F.pdist(x)                   # f131,67 f137,67
F.cosine_similarity(x, y, 0)                # f131,517 f131,517
t.rand(70001), t.randn(70001), t.randint(0, 1000, (70001,)), t.bernoulli(x)  # q67,1031
F.dropout(x, 0.3), t.multinomial(x, 3), t.randperm(70001), t.normal(x, 1.0)  # p67,1031
t.einsum("bij,bjk->ik", x, y)               # f7,131,67 f7,67,131
t.histc(x, 131), t.bincount(y), t.bucketize(x, z)                     # f70001 i70001 p11
(y @ y.T), y.sum(0), y.cumsum(1), y // 3    # f1 i263,131
"""
WITH_LAPACK = """
t.linalg.solve(x + 9 * t.eye(37).to(x.dtype), y)          # u11,37,37 f11,37,5
t.linalg.inv(x + 9 * t.eye(37).to(x.dtype))               # u11,37,37
t.linalg.svd(x)                             # f11,37,23
t.linalg.eigh(x + x.mT)                     # f11,23,23
t.linalg.qr(x)                              # f11,37,23
t.linalg.cholesky(x @ x.mT + t.eye(131).to(x.dtype))      # f3,131,131
t.linalg.pinv(x)                            # f5,37,23
"""


def lines(text):
    """Return the pairs of an expression and its inputs."""
    return [tuple(part.strip() for part in line.split("#")) for line in text.strip().splitlines()]


@pytest.fixture
def threads():
    """Set the number of threads; at the end it is as before, and so is the instruction set."""
    before, best = cpu.get_num_threads(), cpu.instruction_set()
    yield cpu.set_num_threads
    cpu.set_num_threads(before)
    cpu.set_instruction_set(best)


def numbers(words, shapes):
    """Return arrays of the kinds of some inputs; weights small, so that nothing overflows."""
    rng = np.random.default_rng(1)
    return [np.asarray(KINDS[w[0]](rng, shape)) for w, shape in zip(words, shapes, strict=True)]


def shapes_of(inputs):
    return [tuple(int(n) for n in word[1:].split(",") if n) for word in inputs.split()]


def larger(shapes):
    """Yield shapes with some of their numbers made large, the same number alike everywhere."""
    known = sorted({n for shape in shapes for n in shape if n > 1})
    groups = [known, *([n] for n in known), *itertools.combinations(known, max(len(known) - 1, 1))]
    for group in groups:
        for size in SIZES:
            new = {n: size + 2 * i for i, n in enumerate(known) if n in group}
            scaled = [tuple(new.get(n, n) for n in shape) for shape in shapes]
            if all(math.prod(shape) <= MOST for shape in scaled):
                yield scaled
                break


def filled(module, dtype):
    """Return a module of a dtype, whose numbers are always the same."""
    rng = np.random.default_rng(3)
    module = module.to(getattr(norch, dtype))
    for x in (*module.parameters(), *module.buffers()):
        if x.is_floating_point():
            x.data.copy_(norch.from_numpy(rng.uniform(0.1, 0.9, tuple(x.shape)) / 8))
    return module


def outcome(text, arrays, layout, dtype):
    """Return what an expression gives, and its gradients."""
    inputs = [tensor_in(norch, a, layout, dtype if a.dtype.kind == "f" else None) for a in arrays]
    leaves = [x.requires_grad_() for x in learnable(inputs)]
    norch.manual_seed(0)
    names = {"t": norch, "nn": norch.nn, "F": norch.nn.functional, "slicer": Slicer()}
    names.update(zip(NAMES, inputs, strict=False), filled=lambda m: filled(m, dtype))
    value = eval(text, names)
    found = gradients(norch, value, leaves) or []
    return [p for p in (*parts_of(value), *found) if is_tensor(p)]


def digest(tensors):
    """Return one number for the shapes and all bits of some tensors."""
    found = hashlib.sha256()
    for x in tensors:
        found.update(f"{x.dtype} {tuple(x.shape)}".encode() + numpy_of(x).tobytes())
    return found.hexdigest()[:12]


def differing(threads, compute):
    """Return the digests of a computation if two numbers of threads gave different bits."""
    found = {}
    for count in THREADS:
        threads(count)
        found[count] = digest(compute())
    return found if len(set(found.values())) > 1 else None


def larger_arrays(text, inputs, layout, dtype):
    """Return the arrays of the largest sizes that a case takes, and what it gives with them."""
    for shapes in larger(shapes_of(inputs)):
        arrays = numbers(inputs.split(), shapes)
        try:
            return arrays, outcome(text, arrays, layout, dtype)
        except Exception:  # constants of the case want other sizes
            continue
    return None, None


def cases_of_each_operation():
    """Return the first and the last case that names an operation, as (text, inputs)."""
    by_name = {}
    for text, inputs in CASES:
        name = NAME.search(text)
        by_name.setdefault(name[1] if name else text, []).append((text, inputs))
    return sorted({case for cases in by_name.values() for case in (cases[0], cases[-1])})


@pytest.mark.parametrize("part", range(6))
def test_every_operation_of_the_tables(threads, part):
    """One number of threads after the other: to start and to stop them costs more than a case."""
    threads(1)
    tried, wrong = [], []
    for i, (text, inputs) in list(enumerate(cases_of_each_operation()))[part::6]:
        layout, dtype = LAYOUTS[i // 6 % 3], DTYPES[i // 18 % 4]
        arrays, made = larger_arrays(text, inputs, layout, dtype)
        if arrays is not None:
            tried.append(((text, arrays, layout, dtype), digest(made)))
    for count in THREADS[1:]:
        threads(count)
        for case, wanted in tried:
            if digest(outcome(*case)) != wanted:
                wrong.append((count, case[0], [a.shape for a in case[1]], *case[2:]))
    assert not wrong, wrong
    assert len(tried) > 50  # the others take only their own sizes


@pytest.mark.parametrize("isa", cpu.instruction_sets())
def test_what_threads_share(threads, isa):
    cpu.set_instruction_set(isa)
    wrong = []
    for i, (text, inputs) in enumerate(lines(SHARED)):
        arrays = numbers(inputs.split(), shapes_of(inputs))
        layout, dtype = LAYOUTS[i % 2], "float32" if i % 3 else "float64"
        compute = functools.partial(outcome, text, arrays, layout, dtype)
        found = differing(threads, compute)
        if found:
            wrong.append((text, layout, dtype, found))
    assert not wrong, wrong


@pytest.mark.skipif(not lapack.has_lapack(), reason="no LAPACK is installed")
@pytest.mark.parametrize(("text", "inputs"), lines(WITH_LAPACK))
def test_decompositions(threads, text, inputs):
    arrays = numbers(inputs.split(), shapes_of(inputs))
    assert differing(threads, lambda: outcome(text, arrays, "plain", "float64")) is None


def stepped(text):
    """Return parameters after two steps of an optimizer."""
    arrays = numbers("fff", [(70001,), (1031, 3), (3,)])
    p = [norch.nn.Parameter(norch.from_numpy(a).float()) for a in arrays]
    optimizer = eval(f"norch.optim.{text}", {"norch": norch, "p": p})
    for turn in (1, 2):
        for x in p:
            x.grad = (x.detach() * turn).sin()
        optimizer.step()
    return p


@pytest.mark.parametrize("text", OPTIMIZER_CASES)
def test_optimizers(threads, text):
    assert differing(threads, lambda: stepped(text)) is None


def test_int8_and_fused_programs(threads):
    x = norch.from_numpy(numbers(["f"], [(131, 1031)])[0]).float()
    layer = norch.ao.quantization.quantize_dynamic(
        norch.nn.Sequential(filled(norch.nn.Linear(1031, 263), "float32")), {norch.nn.Linear}
    )
    assert differing(threads, lambda: [layer(x)]) is None

    @norch.compile(backend="fuse")
    def chain(x):
        return ((x * 3 + 1).tanh() / (x * x + 2)).sum(0)

    assert differing(threads, lambda: [chain(x)]) is None


OF_EACH_ELEMENT = {
    1: """exp expm1 log log1p log2 sin cos tan tanh sigmoid erf erfinv asin acos atan sinh cosh
    asinh atanh sqrt rsqrt reciprocal square abs neg relu floor round sign digamma lgamma F.gelu
    F.silu F.elu F.selu F.celu F.mish F.softplus F.logsigmoid F.hardswish F.hardsigmoid F.relu6
    F.softsign F.tanhshrink F.softshrink""",
    2: """add sub mul div pow atan2 fmod remainder floor_divide maximum hypot logaddexp copysign
    xlogy""",
    3: "lerp addcmul addcdiv",
}


@pytest.mark.parametrize("isa", cpu.instruction_sets())
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_element_is_the_same_wherever_it_stands_in_its_row(threads, dtype, isa):
    """Chunks begin and end anywhere in a row: a loop's rest must round as its vectors do."""
    cpu.set_instruction_set(isa)
    arrays = numbers("qqqf", [(37, 27)] * 4)
    wrong = []
    for name, count in ((n, c) for c, names in OF_EACH_ELEMENT.items() for n in names.split()):
        place = norch.nn.functional if name[:2] == "F." else norch
        function = getattr(place, name.removeprefix("F."))
        found = []
        for width in (999, 27, 1):  # rows that lie apart, so that each is walked by itself
            inputs = [apart(a, width, dtype).requires_grad_() for a in arrays]
            value = function(*inputs[:count])
            leaves = inputs[:count] if value.requires_grad else []
            slopes = norch.autograd.grad(value, leaves, inputs[3]) if leaves else ()
            made = [value, *slopes]
            found.append(digest(x.contiguous().reshape(999) for x in made))
        if len(set(found)) > 1:
            wrong.append(name)
    assert not wrong, wrong


def apart(array, width, dtype):
    """Return the numbers as rows of a width, each with a gap behind it."""
    room = norch.zeros(999 // width, width + 1, dtype=getattr(norch, dtype))
    room[:, :width] = norch.from_numpy(array.reshape(-1, width)).to(room.dtype)
    return room[:, :width].detach()
