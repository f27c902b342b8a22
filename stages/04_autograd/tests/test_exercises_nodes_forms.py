"""The exercises about single nodes, 4.1 to 4.3, 4.8 to 4.12 and 4.15, on tensors of every form.

Empty ones, single numbers, half and double precision, memory that is read backwards or that many
elements share, and the bare arrays of an ordinary pass. All results are exact in every dtype. The
cases from which a mistake is easily seen come first: test_exercises_nodes.py.
"""

from types import SimpleNamespace

import norch_strides as strides
from norch_autograd import Tensor, eye, float16, float64, tensor, zeros
from norch_autograd.graph.broadcast import unbroadcast
from norch_autograd.graph.tensor_base import plain
from norch_autograd.ops.elementwise.arithmetic import Mul
from norch_autograd.ops.linalg.matmul import Linear
from norch_autograd.ops.nn.attention import _attention_reference
from norch_autograd.ops.nn.batch_norm import standardized_gradient
from norch_autograd.ops.nn.conv import Convolution
from norch_autograd.ops.nn.embedding import Embedding
from norch_autograd.ops.nn.sliding_window import Grid, Slide
from norch_autograd.ops.nn.softmax import Softmax
from norch_course.testing import exercise, expect


def played(kept, wanted, context=None):
    """Return what a node's `backward` sees of its node: kept values, inputs that want gradients."""
    return SimpleNamespace(saved=lambda i: kept[i], needs=lambda i: wanted[i], context=context)


def backwards(values):
    """Return a tensor that lies in memory from its last element to its first."""
    x = tensor(values)
    array = x.flip(*range(x.ndim)).array
    for dim in range(x.ndim):
        array = array.view(strides.flip(array.layout, dim))
    return plain(array)


def half(values):
    """Return a tensor of half precision."""
    return tensor(values, dtype=float16)


def double(values):
    """Return a tensor of double precision."""
    return tensor(values, dtype=float64)


FORMS = [
    ("in float16", half, "float16"),
    ("in float64", double, "float64"),
    ("read backwards", backwards, "float32"),
]


def shared(number, shape):
    """Return a tensor whose elements are all the same number in memory."""
    return tensor(number).expand(shape)


def told(results):
    """Return each gradient as (lists, dtype); what is no tensor and no array, as it is."""
    if isinstance(results, Tensor) or results is None:
        return results and "one tensor, not a tuple"
    return tuple((r.tolist(), r.dtype.name) if hasattr(r, "tolist") else r for r in results)


def told_one(result):
    """Return one tensor or array as (lists, dtype)."""
    return (result.tolist(), result.dtype.name) if hasattr(result, "tolist") else result


# ---- Products ------------------------------------------------------------------------------------


@exercise("4.1")
def test_factors_of_every_form():
    x, y, grad = [[3.0, -2.0]], [[5.0, 0.5]], [[1.0, 2.0]]
    right = [[5.0, 1.0]], [[3.0, -4.0]]
    for name, form, dtype in [*FORMS, ("as bare arrays", lambda v: tensor(v).array, "float32")]:
        node = played([form(x), form(y)], (True, True))
        shown = f"x={x}, y={y} kept: backward({grad}), all {name}: (gradient, dtype)"
        call = lambda n=node, g=form(grad): told(Mul.backward(n, g))  # noqa: E731
        expect(shown, call, tuple((one, dtype) for one in right))


@exercise("4.1")
def test_factors_without_dimensions_or_elements():
    for x, y, grad, right in [
        (3.0, 5.0, 2.0, (10.0, 6.0)),
        (3.0, 0.0, 2.0, (0.0, 6.0)),
        ([], [], [], ([], [])),
    ]:
        node = played([tensor(x), tensor(y)], (True, True))
        shown = f"x={x}, y={y} kept: backward({grad}): (gradient, dtype)"
        call = lambda n=node, g=grad: told(Mul.backward(n, tensor(g)))  # noqa: E731
        expect(shown, call, tuple((one, "float32") for one in right))
    node = played([tensor([3.0, 4.0]), shared(5.0, (2,))], (True, True))
    shown = "x=[3.0, 4.0], y one 5.0 that two elements share: backward of a shared 2.0"
    right = ([10.0, 10.0], "float32"), ([6.0, 8.0], "float32")
    expect(shown, lambda: told(Mul.backward(node, shared(2.0, (2,)))), right)


@exercise("4.1")
def test_a_factor_may_be_any_number():
    for number in (-2, 0, 0.5):
        node = played([None, number], (True, False))
        right = [2.0 * number, 4.0 * number], "float16"
        shown = f"x * {number}, in float16: backward([2.0, 4.0]): (gradient, dtype)"
        call = lambda n=node: told(Mul.backward(n, half([2.0, 4.0])))  # noqa: E731
        expect(shown, call, (right, None))


@exercise("4.2")
def test_a_linear_map_of_every_form():
    x, w, dz = [[1.0, 2.0], [0.0, 3.0]], [[4.0, 1.0]], [[2.0], [1.0]]
    right = [[8.0, 2.0], [4.0, 1.0]], [[2.0, 7.0]], [3.0]
    for name, form, dtype in FORMS:
        node = played([form(x), form(w)], (True,) * 3, ((2, 2), 1))
        shown = f"X {x}, W {w}: backward({dz}), all {name}: (gradient, dtype)"
        call = lambda n=node, g=form(dz): told(Linear.backward(n, g))  # noqa: E731
        expect(shown, call, tuple((one, dtype) for one in right))
    node = played([shared(3.0, (2, 2)), tensor(w)], (True,) * 3, ((2, 2), 1))
    right = [[8.0, 2.0], [8.0, 2.0]], [[12.0, 12.0]], [4.0]
    shown = f"X of 3.0 alone, (2, 2), and dZ of 2.0 alone, W {w}: backward: (gradient, dtype)"
    call = lambda: told(Linear.backward(node, shared(2.0, (2, 1))))  # noqa: E731
    expect(shown, call, tuple((one, "float32") for one in right))


@exercise("4.2")
def test_a_linear_map_of_no_rows():
    for x_shape in [(0, 2), (2, 0, 2)]:
        out_shape = (*x_shape[:-1], 3)
        node = played([zeros(x_shape), zeros(3, 2)], (True,) * 3, (x_shape, 3))
        right = zeros(x_shape).tolist(), [[0.0, 0.0]] * 3, [0.0] * 3
        call = lambda n=node, s=out_shape: told(Linear.backward(n, zeros(s)))  # noqa: E731
        shown = f"X {x_shape}, 3 out: backward, dZ of shape {out_shape}: (gradient, dtype)"
        expect(shown, call, tuple((one, "float32") for one in right))


@exercise("4.3")
def test_copies_of_every_form_are_summed():
    given, right = [[1.0, 2.0], [4.0, 8.0]], [[3.0], [12.0]]
    for name, form, dtype in FORMS:
        shown = f"array = {given}, {name}: unbroadcast(array, (2, 1)): (sums, dtype)"
        call = lambda g=form(given).array: told_one(unbroadcast(g, (2, 1)))  # noqa: E731
        expect(shown, call, (right, dtype))
    for shape, wanted, right in [
        ((2, 3), (3,), [4.0, 4.0, 4.0]),
        ((2, 3), (2, 1), [[6.0], [6.0]]),
        ((2, 1, 2, 1, 2, 1), (2, 1, 1, 1), [[[[8.0]]], [[[8.0]]]]),
        ((2, 1, 2, 1, 2, 2), (1, 1, 1, 1, 2, 1), [[[[[[16.0], [16.0]]]]]]),
        ((0, 3), (3,), [0.0, 0.0, 0.0]),
        ((0,), (), 0.0),
        ((2, 0), (2, 1), [[0.0], [0.0]]),
        ((2, 0), (0,), []),
        ((2, 0, 3), (0, 1), []),
    ]:
        shown = f"array = 2.0 for each element of {shape}: unbroadcast(array, {wanted})"
        call = lambda a=shared(2.0, shape).array, to=wanted: told_one(unbroadcast(a, to))  # noqa: E731
        expect(f"{shown}: (sums, dtype)", call, (right, "float32"))


# ---- Layers --------------------------------------------------------------------------------------


@exercise("4.8")
def test_shares_of_every_form():
    y, grad, right = [[0.5, 0.25, 0.25]], [[4.0, 0.0, 8.0]], [[0.0, -1.0, 1.0]]
    for name, form, dtype in FORMS:
        for dim in (1, -1):
            node = played([form(y)], (True,), dim)
            shown = f"y = {y}, {name}, shares along {dim}: backward({grad}): (gradient, dtype)"
            call = lambda n=node, g=form(grad): told(Softmax.backward(n, g))  # noqa: E731
            expect(shown, call, ((right, dtype),))


@exercise("4.8")
def test_shares_of_every_shape():
    for y, grad, dim, right in [
        (1.0, 3.0, 0, 0.0),
        ([1.0], [3.0], 0, [0.0]),
        ([[0.5, 0.5]], [[2.0, 4.0]], -1, [[-0.5, 0.5]]),
        ([[0.5], [0.5]], [[2.0], [4.0]], -2, [[-0.5], [0.5]]),
        ([[[[[[0.5]], [[0.5]]]]]], [[[[[[2.0]], [[4.0]]]]]], 3, [[[[[[-0.5]], [[0.5]]]]]]),
        ([], [], 0, []),
        ([[], []], [[], []], 0, [[], []]),
        ([[], []], [[], []], 1, [[], []]),
    ]:
        node = played([tensor(y)], (True,), dim)
        shown = f"y = {y}, shares along {dim}: backward({grad}): (gradient, dtype)"
        call = lambda n=node, g=grad: told(Softmax.backward(n, tensor(g)))  # noqa: E731
        expect(shown, call, ((right, "float32"),))
    node = played([shared(0.25, (4,))], (True,), 0)
    shown = "y one 0.25 that four elements share: backward of a shared 2.0: (gradient, dtype)"
    call = lambda: told(Softmax.backward(node, shared(2.0, (4,))))  # noqa: E731
    expect(shown, call, (([0.0] * 4, "float32"),))


@exercise("4.9")
def test_a_normalisation_of_every_form():
    y, rstd = [[1.0, 1.0, -1.0, -1.0]], [[0.5]]
    h, right = [[1.0, 3.0, 5.0, 7.0]], [[-0.5, 0.5, -0.5, 0.5]]
    for name, form, dtype in FORMS:
        shown = f"h = {h}, y = {y}, rstd = {rstd}, all {name}, over dims (1,): standardized_gradient"
        given = form(h), form(y), form(rstd)
        call = lambda g=given: told_one(standardized_gradient(*g, (1,)))  # noqa: E731
        expect(f"{shown}, dtype", call, (right, dtype))


@exercise("4.9")
def test_a_normalisation_of_every_shape():
    for h, y, rstd, dims, right in [
        ([[3.0]], [[0.0]], [[2.0]], (1,), [[0.0]]),
        ([[1.0, 3.0]], [[1.0, -1.0]], [[2.0]], (-1,), [[0.0, 0.0]]),
        ([[1.0], [5.0]], [[0.0], [0.0]], [[2.0], [4.0]], (1,), [[0.0], [0.0]]),
        ([[1.0], [5.0]], [[0.0], [0.0]], [[2.0]], (0,), [[-4.0], [4.0]]),
        ([[[[[[1.0], [5.0]]]]]], [[[[[[0.0], [0.0]]]]]], [2.0], (0, 4), [[[[[[-4.0], [4.0]]]]]]),
        ([[], []], [[], []], [[1.0], [1.0]], (1,), [[], []]),
        ([[], []], [[], []], [[]], (0,), [[], []]),
    ]:
        shown = f"h = {h}, y = {y}, rstd = {rstd}, over dims {dims}: standardized_gradient"
        given = tensor(h), tensor(y), tensor(rstd)
        call = lambda g=given, dims=dims: told_one(standardized_gradient(*g, dims))  # noqa: E731
        expect(f"{shown}, dtype", call, (right, "float32"))
    given = shared(3.0, (1, 4)), tensor([[1.0, 1.0, -1.0, -1.0]]), shared(0.5, (1, 1))
    shown = "h of 3.0 alone, y = [[1.0, 1.0, -1.0, -1.0]], over dims (1,): standardized_gradient"
    call = lambda: told_one(standardized_gradient(*given, (1,)))  # noqa: E731
    expect(f"{shown}, dtype", call, ([[0.0] * 4], "float32"))


@exercise("4.10")
def test_tables_of_every_form():
    for name, form, dtype in FORMS:
        for index, grad, context, right in [
            ([1, 1], [[1.0, 2.0], [4.0, 8.0]], (2, -1, False), [[0.0, 0.0], [5.0, 10.0]]),
            ([1, 1, 0], [[2.0], [6.0], [8.0]], (2, 0, True), [[0.0], [4.0]]),
        ]:
            node = played([tensor(index)], (True,), context)
            shown = f"rows, padding, by_freq = {context}, index {index}: backward({grad}), {name}"
            call = lambda n=node, g=form(grad): told(Embedding.backward(n, g))  # noqa: E731
            expect(f"{shown}: (gradient, dtype)", call, ((right, dtype),))


@exercise("4.10")
def test_one_place_and_none():
    for index, grad, context, right in [
        ([0], [[3.0]], (1, -1, False), [[3.0]]),
        ([0], [[3.0]], (2, 0, False), [[0.0], [0.0]]),
        ([1], [[3.0]], (2, 0, False), [[0.0], [3.0]]),
        ([1], [[3.0]], (2, -1, True), [[0.0], [3.0]]),
        ([0, 0], [[3.0], [5.0]], (1, 0, False), [[0.0]]),
    ]:
        node = played([tensor(index)], (True,), context)
        shown = f"rows, padding, by_freq = {context}, index {index}: backward({grad})"
        call = lambda n=node, g=grad: told(Embedding.backward(n, tensor(g)))  # noqa: E731
        expect(f"{shown}: (gradient, dtype)", call, ((right, "float32"),))
    for context in [(2, -1, False), (2, 0, False), (2, -1, True)]:
        node = played([tensor([0])[:0]], (True,), context)
        shown = f"rows, padding, by_freq = {context}, index []: backward of shape (0, 3)"
        call = lambda n=node: told(Embedding.backward(n, zeros(0, 3)))  # noqa: E731
        expect(f"{shown}: (gradient, dtype)", call, (([[0.0] * 3] * 2, "float32"),))
    node = played([tensor([1, 1])], (True,), (2, -1, False))
    call = lambda: told(Embedding.backward(node, shared(2.0, (2, 1))))  # noqa: E731
    shown = "2 rows, index [1, 1]: backward of one 2.0 that two places share: (gradient, dtype)"
    expect(shown, call, (([[0.0], [4.0]], "float32"),))


def weights(query, key, is_causal, scale):
    """Return the weights of attention: what is mixed of the unit vectors."""
    values = eye(key.shape[-2], dtype=query.dtype)
    return told_one(_attention_reference(query, key, values, None, (is_causal, scale)))


@exercise("4.11")
def test_scores_that_are_scaled_by_any_number():
    seen = [[1.0, 0.0], [0.5, 0.5]]
    for scale, is_causal, right in [
        (0.0, False, [[0.5, 0.5], [0.5, 0.5]]),
        (0.0, True, seen),
        (-64.0, False, [[0.0, 1.0], [0.5, 0.5]]),
        (-64.0, True, seen),
        (-1.0, True, seen),
    ]:
        query, key = [[2.0], [0.0]], [[2.0], [-2.0]]
        given = tensor(query), tensor(key), is_causal, scale
        shown = f"query {query}, key {key}, is_causal={is_causal}, scale={scale}: weights, dtype"
        call = lambda g=given: weights(*g)  # noqa: E731
        expect(shown, call, (right, "float32"))


@exercise("4.11")
def test_attention_of_every_form():
    query = key = [[64.0, 0.0], [0.0, 64.0]]
    for name, form, dtype in FORMS:
        for is_causal, scale in [(False, None), (True, None), (True, 0.5)]:
            given = form(query), form(key), is_causal, scale
            shown = f"query {query}, key {key}, {name}, is_causal={is_causal}, scale={scale}"
            call = lambda g=given: weights(*g)  # noqa: E731
            expect(f"{shown}: weights, dtype", call, ([[1.0, 0.0], [0.0, 1.0]], dtype))


@exercise("4.11")
def test_attention_of_every_shape():
    for query, key, right in [
        ((1, 1), (1, 1), [[1.0]]),
        ((0, 2), (2, 2), []),
        ((2, 2), (0, 2), [[], []]),
        ((2, 0), (2, 0), [[1.0, 0.0], [0.5, 0.5]]),
        ((0, 2, 2), (0, 2, 2), []),
        ((1, 2, 2), (2, 2), [[[1.0, 0.0], [0.5, 0.5]]]),
        ((1, 1, 1, 1, 2, 2), (1, 1, 1, 1, 2, 2), [[[[[[1.0, 0.0], [0.5, 0.5]]]]]]),
    ]:
        given = shared(1.0, query), shared(2.0, key), True, None
        shown = f"query of 1.0 alone, {query}, key of 2.0 alone, {key}, is_causal=True"
        call = lambda g=given: weights(*g)  # noqa: E731
        expect(f"{shown}: weights, dtype", call, (right, "float32"))


# ---- Windows -------------------------------------------------------------------------------------


@exercise("4.12")
def test_slices_of_every_form():
    slices, right = [[1.0, 2.0], [4.0, 8.0]], [1.0, 6.0, 8.0]
    for name, form, dtype in FORMS:
        shown = f"a window of 2 over (3,), slices {slices}, {name}: put_back: (gradient, dtype)"
        given = [form(one) for one in slices]
        call = lambda g=given: told_one(Grid((3,), 2, 1).put_back(g, (3,)))  # noqa: E731
        expect(shown, call, (right, dtype))
    call = lambda: told_one(Grid((3,), 2, 1).put_back([shared(2.0, (2,))] * 2, (3,)))  # noqa: E731
    shown = "a window of 2 over (3,), both slices one shared 2.0: put_back: (gradient, dtype)"
    expect(shown, call, ([2.0, 4.0, 2.0], "float32"))


@exercise("4.12")
def test_slices_of_every_shape():
    for size, window, front, right in [
        ((1,), 1, (), [2.0]),
        ((1,), 1, (1, 1), [[[2.0]]]),
        ((3,), 2, (0,), []),
        ((3,), 2, (2, 0), [[], []]),
        ((3,), 2, (2, 1, 1), [[[[2.0, 4.0, 2.0]]], [[[2.0, 4.0, 2.0]]]]),
        ((2, 1, 2), (2, 1, 1), (), [[[2.0, 2.0]], [[2.0, 2.0]]]),
        ((1, 1, 1, 1, 1, 2), 1, (), [[[[[[2.0, 2.0]]]]]]),
    ]:
        grid = Grid(size, window, 1)
        slices = [shared(2.0, (*front, *grid.count)) for _ in grid.places()]
        shown = f"a window of {window} over {size}, {len(slices)} slices (*{front}, *count) of 2.0"
        call = lambda g=grid, s=slices, to=size: told_one(g.put_back(iter(s), to))  # noqa: E731
        expect(f"{shown}: put_back: (gradient, dtype)", call, (right, "float32"))


def bias_gradient(grad):
    """Return the gradient of the bias alone: nothing was kept."""
    x_shape = (grad.shape[0], 2, *grad.shape[2:])
    slide = Slide(x_shape, (grad.shape[1], 2, *[1] * (grad.ndim - 2)), 1, 0, 1, 1)
    return told(Convolution.backward(played([None, None], (False, False, True), slide), grad))


@exercise("4.15")
def test_a_bias_of_every_form():
    grad, right = [[[1.0, 2.0], [4.0, 8.0]]], [3.0, 12.0]
    for name, form, dtype in FORMS:
        shown = f"grad {grad}, {name}: (None, None, (db, dtype))"
        call = lambda g=form(grad): bias_gradient(g)  # noqa: E731
        expect(shown, call, (None, None, (right, dtype)))


@exercise("4.15")
def test_a_bias_of_every_shape():
    for shape, right in [
        ((1, 1, 1), [2.0]),
        ((1, 2, 3, 1), [6.0, 6.0]),
        ((0, 2, 3), [0.0, 0.0]),
        ((2, 0, 3), []),
        ((2, 3, 0), [0.0, 0.0, 0.0]),
        ((2, 3, 2, 0, 2), [0.0, 0.0, 0.0]),
        ((2, 1, 2, 2, 2), [32.0]),
    ]:
        shown = f"grad of 2.0 alone, {shape}: (None, None, (db, dtype))"
        call = lambda g=shared(2.0, shape): bias_gradient(g)  # noqa: E731
        expect(shown, call, (None, None, (right, "float32")))
