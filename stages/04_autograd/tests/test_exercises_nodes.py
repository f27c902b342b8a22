"""The tests of the exercises about single nodes, 4.1 to 4.3, 4.8 to 4.12 and 4.15: judged by
formulas, written forwards or in plain Python, from small cases to large.

Nodes are asked directly, and what they read is played by `SimpleNamespace`: no backward pass runs.
"""

from collections import defaultdict
from itertools import product
from math import prod
from operator import add
from types import SimpleNamespace

from norch_autograd import Tensor, arange, eye, float64, manual_seed, randint, tensor
from norch_autograd.graph.broadcast import unbroadcast
from norch_autograd.ops.elementwise.arithmetic import Mul
from norch_autograd.ops.linalg.matmul import Linear
from norch_autograd.ops.nn.attention import _attention_reference
from norch_autograd.ops.nn.batch_norm import standardized_gradient
from norch_autograd.ops.nn.conv import Convolution
from norch_autograd.ops.nn.embedding import Embedding
from norch_autograd.ops.nn.sliding_window import Grid, Slide
from norch_autograd.ops.nn.softmax import Softmax
from norch_course.testing import exercise, expect

# ---- Single nodes --------------------------------------------------------------------------------


def played(kept, wanted, context=None):
    """Return what a node's `backward` sees of its node: kept values, inputs that want gradients."""
    return SimpleNamespace(
        kept=kept, saved=lambda i: kept[i], needs=lambda i: wanted[i], context=context
    )


def listed(results):
    """Return tensors and arrays as nested lists, all else as it is."""
    if isinstance(results, Tensor) or results is None:
        return results and "one tensor, not a tuple"
    return tuple(r.tolist() if hasattr(r, "tolist") else r for r in results)


def rounded(values):
    """Return a tensor, an array or lists as nested lists, to four digits behind the point."""
    values = values.tolist() if hasattr(values, "tolist") else values
    return [rounded(value) for value in values] if isinstance(values, list) else round(values, 4)


def only(results):
    """Return the one gradient of a node's answer, to four digits behind the point."""
    if isinstance(results, tuple | list) and len(results) == 1:
        return rounded(results[0])
    if isinstance(results, tuple | list):
        return "more than one gradient" if results else "no gradient"
    return "a tensor, not a tuple of one" if isinstance(results, Tensor) else results


@exercise("4.1")
def test_the_gradient_of_a_factor_is_the_other_factor():
    for x, y, grad in [
        ([3.0], [5.0], [1.0]),
        ([3.0], [5.0], [2.0]),
        ([1.0, 2.0], [3.0, 4.0], [1.0, 10.0]),
        ([[1.0, -2.0]], [[0.0, 4.0]], [[0.5, 2.0]]),
    ]:
        for wanted in [(True, True), (True, False), (False, True)]:
            kept = x if wanted[1] else None, y if wanted[0] else None
            node = played([k and tensor(k) for k in kept], wanted)
            others = [(tensor(grad) * tensor(other)).tolist() for other in (y, x)]
            right = tuple(r if wants else None for r, wants in zip(others, wanted, strict=True))
            shown = f"x={kept[0]}, y={kept[1]} kept: backward({grad})"
            expect(shown, lambda n=node, g=grad: listed(Mul.backward(n, tensor(g))), right)


@exercise("4.1")
def test_a_factor_may_be_a_number():
    node = played([None, 3], (True, False))
    shown = "x * 3: backward([2.0])"
    expect(shown, lambda: listed(Mul.backward(node, tensor([2.0]))), ([6.0], None))


def linear_gradients(x_shape, out, wanted, given=lambda x: x):
    """Return what Linear answers for inputs that count up, `given` as tensors or as arrays, and
    what products of matrices give.
    """
    size = x_shape[-1]
    x = arange(float(prod(x_shape))).reshape(x_shape)
    w = arange(float(out * size)).reshape(out, size) - 2
    dz = arange(float(prod(x_shape[:-1]) * out)).reshape(*x_shape[:-1], out) + 1
    kept = [given(x) if wanted[1] else None, given(w) if wanted[0] else None]
    node = played(kept, wanted, (x_shape, out))
    rows, inputs = dz.reshape(-1, out), x.reshape(-1, size)
    right = (dz @ w).tolist(), (rows.mT @ inputs).tolist(), rows.sum(0).tolist()
    right = tuple(r if wants else None for r, wants in zip(right, wanted, strict=True))
    return (lambda: listed(Linear.backward(node, given(dz)))), right


@exercise("4.2")
def test_a_linear_map_backward_is_of_products():
    everything = (True, True, True)
    for x_shape, out, wanted in [
        ((1, 1), 1, everything),
        ((2, 1), 1, everything),
        ((1, 2), 2, (True, False, False)),
        ((1, 2), 2, (False, True, False)),
        ((2, 2), 2, everything),
        ((2, 3), 2, everything),
        ((3, 2), 4, (False, True, True)),
        ((3, 2), 4, (False, False, True)),
        ((3, 2), 4, (True, False, True)),
        ((3,), 2, everything),
        ((2, 2, 3), 2, everything),
        ((2, 2), 2, (True, True, False)),
        ((2, 2), 2, (True, False, True)),
        ((2, 2), 2, (False, False, True)),
        ((2, 2), 2, (False, False, False)),
    ]:
        call, right = linear_gradients(x_shape, out, wanted)
        shown = f"X {x_shape}, {out} out, wanted {wanted}: backward"
        expect(shown, call, right)


@exercise("4.2")
def test_a_linear_map_backward_takes_arrays():
    for x_shape, out in [((2, 3), 2), ((2, 2, 3), 2)]:
        call, right = linear_gradients(x_shape, out, (True,) * 3, lambda x: x.array)
        expect(f"X {x_shape}, {out} out, all bare arrays: backward", call, right)


@exercise("4.3")
def test_copies_are_summed():
    for wanted, shape in [
        ((1,), (3,)),
        ((), (2,)),
        ((3,), (2, 3)),
        ((2, 1), (2, 3)),
        ((1, 3), (2, 3)),
        ((3,), (1, 3)),
        ((1, 1), (2, 2)),
        ((3, 1), (2, 3, 2)),
        ((1, 3), (2, 2, 3)),
        ((), (2, 3)),
        ((2, 1, 3), (2, 4, 3)),
    ]:
        numbers = range(prod(wanted))
        copied = tensor(list(numbers)).reshape(wanted).expand(shape).reshape(-1).tolist()
        sums = [sum(n for n, at in enumerate(copied, 1) if at == place) * 1.0 for place in numbers]
        summed = tensor(sums).reshape(wanted).tolist()
        given = arange(1.0, 1.0 + len(copied)).reshape(shape).array
        shown = f"array = 1, 2, 3, ... of shape {shape}: unbroadcast(array, {wanted})"
        expect(shown, lambda g=given, to=wanted: unbroadcast(g, to).tolist(), summed)


# ---- Gradients of layers -------------------------------------------------------------------------


def shares(scores, dim):
    """Return the softmax by its formula."""
    e = tensor(scores, dtype=float64).exp()
    return e / e.sum(dim, keepdim=True)


@exercise("4.8")
def test_the_gradient_of_shares():
    for scores, grad, dim in [
        ([0.0], [3.0], 0),
        ([0.0, 0.0], [1.0, 0.0], 0),
        ([0.0, 0.0], [1.0, 1.0], 0),
        ([1.0, 0.0, 2.0], [1.0, -2.0, 0.5], 0),
        ([[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]], 1),
        ([[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]], 0),
        ([[[0.0, 1.0], [1.0, 3.0]]], [[[1.0, 2.0], [3.0, 5.0]]], 1),
    ]:
        y, g = shares(scores, dim), tensor(grad, dtype=float64)
        right = rounded(y * (g - (g * y).sum(dim, keepdim=True)))
        node = played([tensor(y.tolist())], (True,), dim)
        shown = f"y = softmax({scores}, {dim}): backward({grad})"
        expect(shown, lambda n=node, g=grad: only(Softmax.backward(n, tensor(g))), right)


def brought_to_one(x, dims):
    """Return (x - mean) / root and 1 / root."""
    centred = x - x.mean(dims, keepdim=True)
    rstd = 1 / (centred * centred).mean(dims, keepdim=True).sqrt()
    return centred * rstd, rstd


@exercise("4.9")
def test_the_gradient_of_a_normalisation():
    for x, h, dims in [
        ([[1.0, 3.0]], [[1.0, 1.0]], (1,)),
        ([[1.0, 3.0]], [[1.0, 0.0]], (1,)),
        ([[1.0, 3.0, 5.0]], [[1.0, 0.0, 0.0]], (1,)),
        ([[10.0, 30.0, 50.0]], [[1.0, 0.0, 0.0]], (1,)),
        ([[1.0, 2.0, 6.0], [4.0, 0.0, 2.0]], [[1.0, 2.0, 0.0], [0.0, 3.0, 1.0]], (1,)),
        ([[1.0, 2.0], [4.0, 0.0], [0.0, 2.0]], [[1.0, 2.0], [0.0, 3.0], [5.0, 1.0]], (0,)),
        ([[[1.0, 5.0]], [[4.0, 2.0]]], [[[1.0, 2.0]], [[0.0, 4.0]]], (0, 2)),
    ]:
        y, rstd = brought_to_one(tensor(x, dtype=float64), dims)
        g = tensor(h, dtype=float64)
        part = g - g.mean(dims, keepdim=True) - y * (g * y).mean(dims, keepdim=True)
        given = [tensor(one.tolist()) for one in (g, y, rstd)]
        shown = f"x = {x}, h = {h}, over dims {dims}: standardized_gradient"
        call = lambda given=given, dims=dims: rounded(standardized_gradient(*given, dims))  # noqa: E731
        expect(shown, call, rounded(rstd * part + 0.0))


@exercise("4.10")
def test_rows_get_what_arrived_for_them():
    for rows, index, grad, padding, by_freq in [
        (2, [1], [[3.0]], -1, False),
        (3, [2, 0], [[1.0, 2.0], [3.0, 4.0]], -1, False),
        (2, [1, 1], [[1.0], [2.0]], -1, False),
        (3, [0, 2, 0, 0], [[1.0], [2.0], [3.0], [4.0]], -1, False),
        (3, [0, 2, 0], [[1.0], [2.0], [3.0]], 0, False),
        (3, [1, 1, 0], [[1.0], [5.0], [3.0]], -1, True),
    ]:
        times = {k: index.count(k) if by_freq else 1 for k in index}
        table = [[0.0] * len(grad[0]) for _ in range(rows)]
        for place, row in enumerate(index):
            if row != padding:
                share = [number / times[row] for number in grad[place]]
                table[row] = list(map(add, table[row], share))
        node = played([tensor(index)], (True,), (rows, padding, by_freq))
        shown = f"{rows} rows, index {index}, padding {padding}, by_freq {by_freq}: "
        call = lambda n=node, g=grad: only(Embedding.backward(n, tensor(g)))  # noqa: E731
        expect(f"{shown}backward({grad})", call, rounded(table))


def attended(query, key, seen, is_causal, scale):
    """Return what is mixed of the unit vectors: the weights themselves; 0 for what sees none."""
    q, k = tensor(query, dtype=float64), tensor(key, dtype=float64)
    e = (q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)).exp()
    seen = seen or [True] * k.shape[-2]
    rows = range(q.shape[-2])
    sees = [[s and not (is_causal and j > i) for j, s in enumerate(seen)] for i in rows]
    return e * tensor(sees) / (e * tensor(sees)).sum(-1, keepdim=True).clamp(min=1e-30)


@exercise("4.11")
def test_the_weights_of_attention():
    two, four = [[1.0, 0.0], [0.0, 2.0]], [[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 2.0]]
    three, swapped = [*four, four[0]], [four[1], four[0]]
    for query, key, seen, is_causal, scale in [
        ([[1.0]], [[2.0]], None, False, None),
        ([[1.0]], [[2.0], [3.0]], None, False, None),
        (two, two, None, False, 1.0),
        (two, two, None, False, None),
        (four, four, None, False, None),
        (four, four[:1], None, False, 0.5),
        (three, [*four, four[1]], None, True, 0.25),
        (four, four, None, True, None),
        ([four], [four], None, True, None),
        (four, three, None, True, None),
        (three, four, None, True, None),
        ([four, swapped, four], [swapped, four, four], None, True, None),
        ([[0.0]] * 6, [[0.0]] * 6, None, True, None),
        (four, four, [True, True], True, None),
        (four, four, [False, True], True, None),
    ]:
        values = eye(tensor(key).shape[-2])
        given = tensor(query), tensor(key), values, seen and tensor(seen), (is_causal, scale)
        mask = "" if seen is None else f"mask {seen}, "
        shown = f"query {query}, key {key}, {mask}is_causal={is_causal}, scale={scale}: weights"
        right = rounded(attended(query, key, seen, is_causal, scale))
        expect(shown, lambda g=given: rounded(_attention_reference(*g)), right)


# ---- Back through windows ------------------------------------------------------------------------


def put_back(grid, slices, size):
    """Return what is given back to an image: each number to the pixel that it was read from."""
    whole = defaultdict(float)
    for place, seen in zip(grid.places(), slices, strict=True):
        for step, number in zip(product(*map(range, grid.count)), seen, strict=True):
            at = zip(place, grid.dilation, step, grid.stride, grid.padding, strict=True)
            whole[tuple(i * d + n * s - p for i, d, n, s, p in at)] += number
    return tensor([whole[at] for at in product(*map(range, size))]).reshape(size).tolist()


@exercise("4.12")
def test_every_pixel_gets_what_all_windows_saw_of_it():
    for size, window, stride, padding, dilation in [
        ((2,), 1, 1, 0, 1),
        ((3,), 2, 1, 0, 1),
        ((4,), 2, 2, 0, 1),
        ((6,), 2, 3, 0, 1),
        ((5,), 3, 1, 0, 1),
        ((4,), 2, 1, 0, 2),
        ((3,), 2, 1, 1, 1),
        ((5,), 2, 2, 1, 2),
        ((2, 3), 2, 1, 0, 1),
        ((5, 3), 2, (2, 1), 0, 1),
        ((4, 5), (2, 3), (2, 1), (1, 0), (1, 2)),
    ]:
        grid = Grid(size, window, stride, padding, dilation)
        shape = len(list(grid.places())), *grid.count
        slices = arange(1.0, 1.0 + prod(shape)).reshape(shape)
        shown = f"a window of {window} over {size}, stride {stride}, padding {padding}, "
        shown += f"dilation {dilation}, slices 1, 2, 3, ... of shape {shape}: put_back"
        right = put_back(grid, slices.reshape(shape[0], -1).tolist(), size)
        given = [tensor(seen.tolist()) for seen in slices]
        expect(shown, lambda g=grid, s=given, to=size: g.put_back(s, to).tolist(), right)


@exercise("4.12")
def test_images_of_a_batch_stay_apart():
    batch = arange(1.0, 13.0).reshape(3, 2, 2)  # three places, two images of two steps
    right = [put_back(Grid((4,), 3, 1), batch[:, k].tolist(), (4,)) for k in range(2)]
    given = [tensor(seen.tolist()) for seen in batch]
    shown = f"a window of 3 over (4,), two images, slices {batch.tolist()}: put_back"
    expect(shown, lambda: Grid((4,), 3, 1).put_back(given, (4,)).tolist(), right)


def convolution_gradients(batch, channels, places, wanted):
    """Return what `Convolution` answers for a window of one, and what matrices give."""
    manual_seed(5)
    x = randint(-3, 4, (batch, 2, *places)).float()
    w = randint(-3, 4, (channels, 2)).float()
    dy = randint(-3, 4, (batch, channels, *places)).float()
    weight = w.reshape(channels, 2, *[1] * len(places))
    flat = dy.reshape(batch, channels, -1), x.reshape(batch, 2, -1)
    dx = (w.mT @ flat[0]).reshape(x.shape)
    dw = (flat[0] @ flat[1].mT).sum(0).reshape(weight.shape)
    right = (dx, dw, flat[0].sum((0, 2)))
    slide = Slide(x.shape, weight.shape, 1, 0, 1, 1)
    node = played((x, weight), wanted, slide)
    right = tuple(r.tolist() if wants else None for r, wants in zip(right, wanted, strict=True))
    return (lambda: listed(Convolution.backward(node, dy))), right


@exercise("4.15")
def test_a_bias_gets_what_all_images_and_places_send():
    for batch, channels, places, wanted in [
        (1, 1, (1, 2), (True, True, True)),
        (2, 3, (1, 1), (True, True, True)),
        (2, 2, (2, 2), (True, True, True)),
        (3, 2, (2, 3), (False, False, True)),
        (2, 3, (1, 2), (True, True, False)),
        (2, 3, (1, 2), (False, True, True)),
        (2, 3, (1, 2), (True, False, True)),
        (2, 3, (1, 2, 2), (False, False, True)),
        (2, 3, (4,), (False, False, True)),
    ]:
        call, right = convolution_gradients(batch, channels, places, wanted)
        shown = f"grad of shape {(batch, channels, *places)}, wanted {wanted}: (dx, dw, db)"
        expect(shown, call, right)
