"""The exercises about single nodes, 4.1 to 4.3, 4.8 to 4.12 and 4.15, on tensors of every form.

Empty ones, single numbers, half and double precision, memory that is read backwards or that many
elements share, numbers near the largest, and the bare arrays of an ordinary pass. All results are
exact in every dtype. The cases in which a mistake is easily seen come first, in
test_exercises_nodes.py.
"""

from types import SimpleNamespace

import norch_strides as strides
from norch_autograd import eye, float16, float64, tensor, zeros
from norch_autograd.graph.broadcast import unbroadcast
from norch_autograd.graph.node import Node
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

HUGE = 2.0**127  # a float32, and twice as much is none


def played(kept, wanted, context=None):
    """Return what a node's `backward` sees of its node: kept values, inputs that want gradients."""
    return SimpleNamespace(
        kept=kept, saved=lambda i: kept[i], needs=lambda i: wanted[i], context=context
    )


def half(values):
    """Return a tensor of half precision."""
    return tensor(values, dtype=float16)


def double(values):
    """Return a tensor of double precision."""
    return tensor(values, dtype=float64)


def backwards(values):
    """Return a tensor that lies in memory from its last element to its first."""
    x = tensor(values)
    array = x.flip(*range(x.ndim)).array
    for dim in range(x.ndim):
        array = array.view(strides.flip(array.layout, dim))
    return plain(array)


def bare(values):
    """Return an array, as an ordinary pass has it."""
    return tensor(values).array


def same(number, *shape):
    """Return a tensor whose elements are all one number in memory."""
    return tensor(number).expand(shape)


FORMS = [
    ("in float16", half, "float16"),
    ("in float64", double, "float64"),
    ("read backwards", backwards, "float32"),
]


def told(result):
    """Return a tensor or an array as (values, dtype), and so each one in a tuple."""
    if isinstance(result, tuple | list):
        return tuple(map(told, result))
    return (result.tolist(), result.dtype.name) if hasattr(result, "tolist") else result


def expect_told(shown, right, function, *arguments):
    """Expect these values and dtypes of a call."""
    expect(f"{shown}: (values, dtype)", lambda: told(function(*arguments)), right)


def expect_recorded(shown, right, function, *arguments):
    """Expect which gradients belong to the record, for a second derivative to go on from them."""

    def recorded():
        found = function(*arguments)
        several = found if isinstance(found, tuple | list) else [found]
        return [getattr(one, "requires_grad", "no tensor") for one in several if one is not None]

    expect(f"{shown} recorded: are the answers", recorded, right)


def ways_back(result):
    """Return how many edges behind a result lead to leaves."""
    waiting, seen, leaves = [result.grad_fn], set(), 0
    while waiting:
        node = waiting.pop()
        edges = [] if node in seen else [edge for edge in node.edges if edge is not None]
        seen.add(node)
        leaves += sum(not isinstance(edge, Node) for edge in edges)
        waiting += [edge for edge in edges if isinstance(edge, Node)]
    return leaves


def record(values):
    """Return a tensor whose operations are recorded."""
    return tensor(values, requires_grad=True)


# ---- Products ------------------------------------------------------------------------------------


@exercise("4.1")
def test_factors_of_every_form():
    x, y, grad = [[3.0, -2.0]], [[5.0, 0.5]], [[1.0, 2.0]]
    for name, form, dtype in [("as bare arrays", bare, "float32"), *FORMS]:
        node = played([form(x), form(y)], (True, True))
        right = ([[5.0, 1.0]], dtype), ([[3.0, -4.0]], dtype)
        shown = f"x={x}, y={y} kept: backward({grad}), all {name}"
        expect_told(shown, right, Mul.backward, node, form(grad))


@exercise("4.1")
def test_factors_of_every_shape():
    for x, y, grad, dx, dy in [
        (3.0, 5.0, 2.0, 10.0, 6.0),
        (3.0, 0.0, 2.0, 0.0, 6.0),
        ([], [], [], [], []),
        ([0.5, 0.25], [0.25, 1.0], [HUGE, HUGE], [HUGE / 4, HUGE], [HUGE / 2, HUGE / 4]),
    ]:
        node = played([None, tensor(y)], (True, False))
        shown = f"y={y} kept: backward({grad})"
        expect_told(shown, ((dx, "float32"), None), Mul.backward, node, tensor(grad))
        node = played([tensor(x), tensor(y)], (True, True))
        right = (dx, "float32"), (dy, "float32")
        expect_told(f"x={x}, y={y} kept: backward({grad})", right, Mul.backward, node, tensor(grad))
    node = played([tensor([3.0, 4.0]), same(5.0, 2)], (True, True))
    shown = "x=[3.0, 4.0], y one 5.0 for both elements: backward of one 2.0 for both"
    right = ([10.0, 10.0], "float32"), ([6.0, 8.0], "float32")
    expect_told(shown, right, Mul.backward, node, same(2.0, 2))


@exercise("4.1")
def test_a_second_derivative_goes_on_from_both_gradients():
    node = played([record([3.0]), record([5.0])], (True, True))
    expect_recorded("x and y", [True, True], Mul.backward, node, tensor([2.0]))
    node = played([tensor([3.0]), tensor([5.0])], (True, True))
    expect_recorded("grad", [True, True], Mul.backward, node, record([2.0]))


@exercise("4.1")
def test_a_factor_may_be_any_number():
    for number in (3, -2.0, 0.5, 0, 0.0):
        node = played([None, number], (True, False))
        right = ([2.0 * number, 4.0 * number], "float16"), None
        shown = f"x * {number}, in float16: backward([2.0, 4.0])"
        expect_told(shown, right, Mul.backward, node, half([2.0, 4.0]))


@exercise("4.1")
def test_both_factors_may_be_one():
    x = tensor([3.0, -2.0])
    node = played([x, x], (True, True))
    right = ([6.0, -8.0], "float32"), ([6.0, -8.0], "float32")
    shown = "x=[3.0, -2.0], and y the same tensor: backward([2.0, 4.0])"
    expect_told(shown, right, Mul.backward, node, tensor([2.0, 4.0]))


@exercise("4.1")
def test_one_node_may_be_asked_for_several_gradients():
    node = played([tensor([3.0]), tensor([5.0])], (True, True))

    def both():
        return [told(Mul.backward(node, tensor([grad]))) for grad in (1.0, 2.0)]

    one, two = ((([dx], "float32"), ([dy], "float32")) for dx, dy in ((5.0, 3.0), (10.0, 6.0)))
    expect("x=[3.0], y=[5.0] kept: backward([1.0]), then backward([2.0])", both, [one, two])


@exercise("4.2")
def test_a_linear_map_of_every_form():
    x, w, dz = [[1.0, 2.0], [0.0, 3.0]], [[4.0, 1.0]], [[2.0], [1.0]]
    for name, form, dtype in FORMS:
        node = played([form(x), form(w)], (True,) * 3, ((2, 2), 1))
        right = ([[8.0, 2.0], [4.0, 1.0]], dtype), ([[2.0, 7.0]], dtype), ([3.0], dtype)
        shown = f"X {x}, W {w}: backward({dz}), all {name}"
        expect_told(shown, right, Linear.backward, node, form(dz))
    node = played([same(3.0, 2, 2), tensor(w)], (True,) * 3, ((2, 2), 1))
    right = tuple((one, "float32") for one in ([[8.0, 2.0]] * 2, [[12.0, 12.0]], [4.0]))
    shown = f"X of 3.0 alone, (2, 2), W {w}: backward of 2.0 alone, (2, 1)"
    expect_told(shown, right, Linear.backward, node, same(2.0, 2, 1))


@exercise("4.2")
def test_a_linear_map_of_one_row_and_of_none():
    node = played([tensor([[0.5]]), tensor([[0.25], [0.5]])], (True,) * 3, ((1, 1), 2))
    right = [[HUGE * 0.75]], [[HUGE / 2], [HUGE / 2]], [HUGE, HUGE]
    shown = "X [[0.5]], W [[0.25], [0.5]]: backward([[2.0 ** 127, 2.0 ** 127]])"
    right = tuple((one, "float32") for one in right)
    expect_told(shown, right, Linear.backward, node, tensor([[HUGE, HUGE]]))
    deep = (1, 2, 1, 2, 1, 2)
    node = played([same(1.0, *deep), tensor([[1.0, 2.0]])], (True,) * 3, (deep, 1))
    right = [[[[[[1.0, 2.0]], [[1.0, 2.0]]]]] * 2], [[4.0, 4.0]], [4.0]
    shown = f"X of 1.0 alone, {deep}, W [[1.0, 2.0]]: backward of 1.0 alone"
    right = tuple((one, "float32") for one in right)
    expect_told(shown, right, Linear.backward, node, same(1.0, 1, 2, 1, 2, 1, 1))
    for x_shape in [(0, 2), (2, 0, 2)]:
        out_shape = (*x_shape[:-1], 3)
        node = played([zeros(x_shape), zeros(3, 2)], (True,) * 3, (x_shape, 3))
        right = zeros(x_shape).tolist(), [[0.0, 0.0]] * 3, [0.0] * 3
        right = tuple((one, "float32") for one in right)
        shown = f"X {x_shape}, 3 out: backward of shape {out_shape}"
        expect_told(shown, right, Linear.backward, node, zeros(out_shape))


@exercise("4.2")
def test_a_second_derivative_goes_on_from_what_depends_on_it():
    node = played([record([[1.0]]), record([[2.0]])], (True,) * 3, ((1, 1), 1))
    right = [True, True, False]
    expect_recorded("X and W", right, Linear.backward, node, tensor([[3.0]]))
    node = played([tensor([[1.0]]), tensor([[2.0]])], (True,) * 3, ((1, 1), 1))
    expect_recorded("dZ", [True] * 3, Linear.backward, node, record([[3.0]]))


@exercise("4.3")
def test_copies_of_every_form_are_summed():
    given = [[1.0, 2.0], [4.0, 8.0]]
    for name, form, dtype in FORMS:
        shown = f"array = {given}, {name}: unbroadcast(array, (2, 1))"
        expect_told(shown, ([[3.0], [12.0]], dtype), unbroadcast, form(given).array, (2, 1))
    shown = "array = [[2.0 ** 127, 2.0 ** 127]]: unbroadcast(array, (2,))"
    expect_told(shown, ([HUGE, HUGE], "float32"), unbroadcast, bare([[HUGE, HUGE]]), (2,))


@exercise("4.3")
def test_copies_of_every_shape_are_summed():
    for shape, wanted, right in [
        ((2, 3), (3,), [4.0, 4.0, 4.0]),
        ((2, 3), (2, 1), [[6.0], [6.0]]),
        ((2, 2, 2, 2), (2,), [16.0, 16.0]),
        ((2, 1, 2, 1, 2, 1), (2, 1, 1, 1), [[[[8.0]]], [[[8.0]]]]),
        ((2, 1, 2, 1, 2, 2), (1, 1, 1, 1, 2, 1), [[[[[[16.0], [16.0]]]]]]),
        ((0, 3), (3,), [0.0, 0.0, 0.0]),
        ((0,), (), 0.0),
        ((2, 0), (2, 1), [[0.0], [0.0]]),
        ((2, 0), (0,), []),
        ((2, 0, 3), (0, 1), []),
    ]:
        shown = f"array = 2.0 alone, {shape}: unbroadcast(array, {wanted})"
        expect_told(shown, (right, "float32"), unbroadcast, same(2.0, *shape).array, wanted)


# ---- Layers --------------------------------------------------------------------------------------


@exercise("4.8")
def test_shares_of_every_form():
    y, grad = [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]], [[4.0, 0.0, 8.0], [0.0, 8.0, 4.0]]
    right = [[0.0, -1.0, 1.0], [-2.0, 2.0, 0.0]]
    for name, form, dtype in FORMS:
        for dim in (1, -1):
            node = played([form(y)], (True,), dim)
            shown = f"y = {y}, {name}, shares along {dim}: backward({grad})"
            expect_told(shown, ((right, dtype),), Softmax.backward, node, form(grad))


@exercise("4.8")
def test_shares_of_every_shape():
    for y, grad, dim, right in [
        (1.0, 3.0, 0, 0.0),
        ([1.0], [3.0], 0, [0.0]),
        ([[0.5, 0.5]], [[2.0, 4.0]], -1, [[-0.5, 0.5]]),
        ([[0.5], [0.5]], [[2.0], [4.0]], -2, [[-0.5], [0.5]]),
        ([[[[[[0.5]], [[0.5]]]]]], [[[[[[2.0]], [[4.0]]]]]], 3, [[[[[[-0.5]], [[0.5]]]]]]),
        ([0.5, 0.5], [HUGE, HUGE], 0, [0.0, 0.0]),
        ([], [], 0, []),
        ([[], []], [[], []], 0, [[], []]),
        ([[], []], [[], []], 1, [[], []]),
    ]:
        node = played([tensor(y)], (True,), dim)
        shown = f"y = {y}, shares along {dim}: backward({grad})"
        expect_told(shown, ((right, "float32"),), Softmax.backward, node, tensor(grad))
    node = played([same(0.25, 4)], (True,), 0)
    shown = "y of 0.25 alone, (4,): backward of 2.0 alone"
    expect_told(shown, (([0.0] * 4, "float32"),), Softmax.backward, node, same(2.0, 4))


@exercise("4.8")
def test_a_second_derivative_goes_on_from_the_gradient():
    node, grad = played([record([0.5, 0.5])], (True,), 0), tensor([2.0, 4.0])
    expect_recorded("y of [0.5, 0.5]", [True], Softmax.backward, node, grad)
    shown = "y recorded: does the answer come from y in more than one way"
    expect(shown, lambda: ways_back(Softmax.backward(node, grad)[0]) > 1, True)


@exercise("4.9")
def test_a_normalisation_of_every_form():
    y, rstd = [[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]], [[0.5], [2.0]]
    h = [[1.0, 3.0, 5.0, 7.0], [0.0, 2.0, 0.0, 6.0]]
    right = [[-0.5, 0.5, -0.5, 0.5], [0.0, -4.0, 0.0, 4.0]]
    for name, form, dtype in FORMS:
        for dims in [(1,), (-1,)]:
            given = form(h), form(y), form(rstd), dims
            shown = f"h = {h}, y = {y}, rstd = {rstd}, over {dims}, {name}: standardized_gradient"
            expect_told(shown, (right, dtype), standardized_gradient, *given)
    given = half([[40000.0] * 4]), half([[1.0, -1.0, 1.0, -1.0]]), half([[1.0]])
    shown = "h of 40000.0 alone, whose sum no float16 can hold, y = [[1, -1, 1, -1]], rstd = [[1]]"
    right = [[0.0] * 4], "float16"
    expect_told(f"{shown}: standardized_gradient", right, standardized_gradient, *given, (1,))
    given = same(3.0, 2, 4), tensor(y), tensor(rstd)
    shown = f"h of 3.0 alone, y = {y}, rstd = {rstd}, over (1,): standardized_gradient"
    expect_told(shown, ([[0.0] * 4] * 2, "float32"), standardized_gradient, *given, (1,))


@exercise("4.9")
def test_a_normalisation_of_every_shape():
    for h, y, rstd, dims, right in [
        ([[3.0]], [[0.0]], [[2.0]], (1,), [[0.0]]),
        (3.0, 0.0, 2.0, (0,), 0.0),
        ([[1.0, 3.0]], [[1.0, -1.0]], [[2.0]], (-1,), [[0.0, 0.0]]),
        ([[1.0], [5.0]], [[0.0], [0.0]], [[2.0], [4.0]], (1,), [[0.0], [0.0]]),
        ([[1.0], [5.0]], [[0.0], [0.0]], [[2.0]], (0,), [[-4.0], [4.0]]),
        ([[[[[[1.0], [5.0]]]]]], [[[[[[0.0], [0.0]]]]]], [2.0], (0, 4), [[[[[[-4.0], [4.0]]]]]]),
        ([[HUGE], [HUGE]], [[0.0], [0.0]], [[1.0], [1.0]], (1,), [[0.0], [0.0]]),
        ([[], []], [[], []], [[1.0], [1.0]], (1,), [[], []]),
        ([[], []], [[], []], [[]], (0,), [[], []]),
    ]:
        given = tensor(h), tensor(y), tensor(rstd)
        shown = f"h = {h}, y = {y}, rstd = {rstd}, over dims {dims}: standardized_gradient"
        expect_told(shown, (right, "float32"), standardized_gradient, *given, dims)


@exercise("4.9")
def test_a_second_derivative_goes_on_from_each_of_three():
    for place, name in enumerate(("h", "y", "rstd")):
        given = [tensor([[1.0, 3.0]]), tensor([[1.0, -1.0]]), tensor([[0.5]])]
        given[place].requires_grad_()
        expect_recorded(name, [True], standardized_gradient, *given, (1,))
    given = tensor([[1.0, 3.0]]), record([[1.0, -1.0]]), tensor([[0.5]])
    shown = "y recorded: does the answer come from y in more than one way"
    expect(shown, lambda: ways_back(standardized_gradient(*given, (1,))) > 1, True)


@exercise("4.10")
def test_tables_of_every_form():
    for name, form, dtype in FORMS:
        for index, grad, context, right in [
            ([1, 1], [[1.0, 2.0], [4.0, 8.0]], (2, -1, False), [[0.0, 0.0], [5.0, 10.0]]),
            ([1, 1, 0], [[2.0], [6.0], [8.0]], (2, 0, True), [[0.0], [4.0]]),
        ]:
            node = played([tensor(index)], (True,), context)
            shown = f"(rows, padding, by_freq) {context}, index {index}: backward({grad}), {name}"
            expect_told(shown, ((right, dtype),), Embedding.backward, node, form(grad))


@exercise("4.10")
def test_tables_of_every_shape():
    for index, grad, context, right in [
        ([0], [[3.0]], (1, -1, False), [[3.0]]),
        ([0], [[3.0]], (2, 0, False), [[0.0], [0.0]]),
        ([1], [[3.0]], (2, 0, False), [[0.0], [3.0]]),
        ([1], [[3.0]], (2, -1, True), [[0.0], [3.0]]),
        ([0, 0], [[3.0], [5.0]], (1, 0, False), [[0.0]]),
        ([0, 1], [[HUGE], [HUGE]], (2, -1, False), [[HUGE], [HUGE]]),
    ]:
        node = played([tensor(index)], (True,), context)
        shown = f"(rows, padding, by_freq) {context}, index {index}: backward({grad})"
        expect_told(shown, ((right, "float32"),), Embedding.backward, node, tensor(grad))
    for context in [(2, -1, False), (2, 0, False), (2, -1, True)]:
        node = played([tensor([0])[:0]], (True,), context)
        shown = f"(rows, padding, by_freq) {context}, index []: backward of shape (0, 3)"
        right = [[0.0] * 3] * 2, "float32"
        expect_told(shown, (right,), Embedding.backward, node, zeros(0, 3))
    for places in (2, 300):
        node = played([tensor([1] * places)], (True,), (2, -1, False))
        shown = f"2 rows, {places} places that all took row 1: backward of 2.0 alone, ({places}, 1)"
        right = [[0.0], [2.0 * places]], "float32"
        expect_told(shown, (right,), Embedding.backward, node, same(2.0, places, 1))


@exercise("4.10")
def test_a_second_derivative_goes_on_from_the_table():
    node = played([tensor([1])], (True,), (2, 0, True))
    expect_recorded("grad", [True], Embedding.backward, node, record([[3.0]]))


@exercise("4.10")
def test_wide_tables_and_narrow_ones():
    node = played([tensor([1])], (True,), (2, -1, False))
    shown, right = "2 rows, index [1]: backward of shape (1, 0)", ([[], []], "float32")
    expect_told(shown, (right,), Embedding.backward, node, zeros(1, 0))
    node = played([tensor([299])], (True,), (300, -1, False))
    right = [[0.0]] * 299 + [[2.0]], "float32"
    shown = "300 rows, index [299]: backward([[2.0]])"
    expect_told(shown, (right,), Embedding.backward, node, tensor([[2.0]]))


def weights(query, key, is_causal, scale):
    """Return the weights of attention: what is mixed of the unit vectors."""
    values = eye(key.shape[-2], dtype=query.dtype)
    return _attention_reference(query, key, values, None, (is_causal, scale))


@exercise("4.11")
def test_scores_are_scaled_by_any_number():
    query, key, seen = [[2.0], [0.0]], [[2.0], [-2.0]], [[1.0, 0.0], [0.5, 0.5]]
    for scale, is_causal, right in [
        (0.0, False, [[0.5, 0.5], [0.5, 0.5]]),
        (0.0, True, seen),
        (-64.0, False, [[0.0, 1.0], [0.5, 0.5]]),
        (-64.0, True, seen),
    ]:
        shown = f"query {query}, key {key}, is_causal={is_causal}, scale={scale}: weights"
        given = tensor(query), tensor(key), is_causal, scale
        expect_told(shown, (right, "float32"), weights, *given)
    given = tensor([[2.0**20]]), tensor([[64.0], [-64.0]]), False, 2.0**-20
    shown = "query [[2.0 ** 20]], key [[64.0], [-64.0]], scale=2.0 ** -20: weights"
    expect_told(shown, ([[1.0, 0.0]], "float32"), weights, *given)


@exercise("4.11")
def test_attention_of_every_form():
    query = key = [[64.0, 0.0], [0.0, 64.0]]
    for name, form, dtype in FORMS:
        for is_causal, scale in [(False, None), (True, None), (True, 0.5)]:
            shown = f"query and key {query}, {name}, is_causal={is_causal}, scale={scale}: weights"
            right = [[1.0, 0.0], [0.0, 1.0]], dtype
            expect_told(shown, right, weights, form(query), form(key), is_causal, scale)
    given = tensor([[HUGE, HUGE]]), tensor([[0.0, 0.0]]), False, None
    shown = "query [[2.0 ** 127, 2.0 ** 127]], key [[0.0, 0.0]]: weights"
    expect_told(shown, ([[1.0]], "float32"), weights, *given)


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
        shown = f"query of 1.0 alone, {query}, key of 2.0 alone, {key}, is_causal=True: weights"
        given = same(1.0, *query), same(2.0, *key), True, None
        expect_told(shown, (right, "float32"), weights, *given)


@exercise("4.11")
def test_gradients_go_back_through_the_scores():
    for is_causal in (False, True):
        for name, query, key in [
            ("query", record([[1.0]]), tensor([[2.0]])),
            ("key", tensor([[1.0]]), record([[2.0]])),
        ]:
            given = query, key, is_causal, None
            expect_recorded(f"is_causal={is_causal}, {name}", [True], weights, *given)


@exercise("4.11")
def test_many_queries_and_keys():
    given = same(1.0, 64, 1), same(1.0, 64, 1), same(0.0, 64, 1), None, (True, None)
    shown = "64 queries and keys, is_causal=True, values of 0"
    expect_told(shown, ([[0.0]] * 64, "float32"), _attention_reference, *given)


# ---- Windows -------------------------------------------------------------------------------------


@exercise("4.12")
def test_slices_of_every_form():
    slices, grid = [[1.0, 2.0], [4.0, 8.0]], Grid((3,), 2, 1)
    for name, form, dtype in FORMS:
        shown = f"a window of 2 over (3,), slices {slices}, {name}: put_back"
        given = list(map(form, slices))
        expect_told(shown, ([1.0, 6.0, 8.0], dtype), grid.put_back, given, (3,))
    given, shown = [tensor([HUGE, HUGE])], "a window of 1 over (2,), slices [[2.0 ** 127] * 2]"
    grid = Grid((2,), 1, 1)
    expect_told(f"{shown}: put_back", ([HUGE, HUGE], "float32"), grid.put_back, given, (2,))


@exercise("4.12")
def test_slices_of_every_shape():
    for size, window, front, right in [
        ((1,), 1, (), [2.0]),
        ((), 1, (), 2.0),
        ((1,), 1, (1, 1), [[[2.0]]]),
        ((3,), 2, (0,), []),
        ((3,), 2, (3, 0), [[], [], []]),
        ((3,), 2, (3, 1, 1), [[[[2.0, 4.0, 2.0]]]] * 3),
        ((2, 1, 2), (2, 1, 1), (), [[[2.0, 2.0]], [[2.0, 2.0]]]),
        ((1, 1, 1, 1, 1, 2), 1, (), [[[[[[2.0, 2.0]]]]]]),
    ]:
        grid = Grid(size, window, 1)
        slices = [same(2.0, *front, *grid.count) for _ in grid.places()]
        shape = f"({', '.join([*map(str, front), '*count'])})"
        shown = f"a window of {window} over {size}, slices {shape} of 2.0 alone: put_back"
        expect_told(shown, (right, "float32"), grid.put_back, slices, size)


@exercise("4.12")
def test_slices_come_one_after_the_other():
    grid = Grid((2,), 2, 1, 1)
    seen = [[[1.0, 2.0, 4.0]], [[8.0, 16.0, 32.0]], [[0.0, 0.0, 1.0]]]
    right = [[[3.0, 6.0]], [[24.0, 48.0]], [[0.0, 1.0]]], "float32"

    def put_back(size):
        return grid.put_back((tensor(seen) for _ in grid.places()), size)

    shown = f"a window of 2 over (2,), padding 1, three images, both slices {seen}, by a generator"
    expect_told(f"{shown}: put_back", right, put_back, (2,))


@exercise("4.12")
def test_a_second_derivative_goes_on_from_the_image():
    def put_back():
        return Grid((2,), 1, 1).put_back([record([1.0, 2.0])], (2,))

    expect_recorded("slices", [True], put_back)


def bias_gradient(grad):
    """Return the gradient of the bias alone: nothing was kept."""
    sizes = (grad.shape[0], 2, *grad.shape[2:]), (grad.shape[1], 2, *[1] * (grad.ndim - 2))
    node = played([None, None], (False, False, True), Slide(*sizes, 1, 0, 1, 1))
    return Convolution.backward(node, grad)


@exercise("4.15")
def test_a_bias_of_every_form():
    grad = [[[1.0, 2.0], [4.0, 8.0]]]
    for name, form, dtype in FORMS:
        right = None, None, ([3.0, 12.0], dtype)
        expect_told(f"backward({grad}), {name}, of a bias", right, bias_gradient, form(grad))
    right = None, None, ([HUGE, HUGE], "float32")
    shown = "backward([[[2.0 ** 127], [2.0 ** 127]]]) of a bias"
    expect_told(shown, right, bias_gradient, tensor([[[HUGE], [HUGE]]]))


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
        right = None, None, (right, "float32")
        shown = f"backward of 2.0 alone, {shape}, of a bias"
        expect_told(shown, right, bias_gradient, same(2.0, *shape))


@exercise("4.15")
def test_a_second_derivative_goes_on_from_the_bias():
    expect_recorded("grad", [True], bias_gradient, record([[[1.0, 2.0]]]))
