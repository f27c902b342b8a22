"""The tests of exercises 4.1 to 4.11: from small cases to large, judged against NumPy or by hand.

`make check 4.3` runs those marked 4.3 on the reader's answer; pytest runs all of them on the
reference. A test uses nothing that another exercise writes: nodes are asked directly or played by
`SimpleNamespace`, and no test but those of 4.5 starts a backward pass.
"""

from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

from norch_autograd import Tensor, arange, float64, ones, tensor
from norch_autograd.autograd.gradcheck import _numeric
from norch_autograd.engine import engine
from norch_autograd.graph.broadcast import unbroadcast
from norch_autograd.graph.grad_mode import enable_grad, is_grad_enabled, no_grad
from norch_autograd.graph.inference_mode import inference_mode, is_inference_mode_enabled
from norch_autograd.graph.node import Node
from norch_autograd.ops.elementwise.arithmetic import Mul
from norch_autograd.ops.linalg.matmul import Linear
from norch_autograd.ops.nn.attention import _attention_reference
from norch_autograd.ops.nn.batch_norm import standardized_gradient
from norch_autograd.ops.nn.embedding import Embedding
from norch_autograd.ops.nn.softmax import Softmax
from norch_autograd.types.modes import mode
from norch_course.testing import exercise, expect

# ---- Single nodes --------------------------------------------------------------------------------


def played(kept, wanted, context=None):
    """Return what a node's `backward` sees of its node: kept values, inputs that want gradients."""
    return SimpleNamespace(saved=lambda i: kept[i], needs=lambda i: wanted[i], context=context)


def listed(results):
    """Return tensors as nested lists, None as it is."""
    return tuple(r.tolist() if isinstance(r, Tensor) else r for r in results)


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
            right = (np.array(grad) * y).tolist(), (np.array(grad) * x).tolist()
            right = tuple(r if wants else None for r, wants in zip(right, wanted, strict=True))
            shown = f"x={kept[0]}, y={kept[1]} kept: backward({grad})"
            expect(shown, lambda n=node, g=grad: listed(Mul.backward(n, tensor(g))), right)


@exercise("4.1")
def test_a_factor_may_be_a_number():
    node = played([None, 3], (True, False))
    shown = "x * 3: backward([2.0])"
    expect(shown, lambda: listed(Mul.backward(node, tensor([2.0]))), ([6.0], None))


def linear_gradients(x_shape, out, wanted):
    """Return what Linear answers for inputs that count up, and what NumPy answers."""
    size = x_shape[-1]
    x = np.arange(np.prod(x_shape), dtype=np.float32).reshape(x_shape)
    w = np.arange(out * size, dtype=np.float32).reshape(out, size) - 2
    dz = np.arange(np.prod(x_shape[:-1]) * out, dtype=np.float32).reshape(*x_shape[:-1], out) + 1
    kept = [tensor(x) if wanted[1] else None, tensor(w) if wanted[0] else None]
    node = played(kept, wanted, (x_shape, out))
    rows, inputs = dz.reshape(-1, out), x.reshape(-1, size)
    right = (dz @ w).tolist(), (rows.T @ inputs).tolist(), rows.sum(0).tolist()
    right = tuple(r if wants else None for r, wants in zip(right, wanted, strict=True))
    return (lambda: listed(Linear.backward(node, tensor(dz)))), right


@exercise("4.2")
def test_a_linear_map_backward_is_numpys():
    everything = (True, True, True)
    for x_shape, out, wanted in [
        ((1, 1), 1, everything),
        ((2, 1), 1, everything),
        ((1, 2), 2, (True, False, False)),
        ((1, 2), 2, (False, True, False)),
        ((2, 2), 2, everything),
        ((2, 3), 2, everything),
        ((3, 2), 4, (False, True, True)),
        ((3,), 2, everything),
        ((2, 2, 3), 2, everything),
    ]:
        call, right = linear_gradients(x_shape, out, wanted)
        shown = f"X {x_shape}, {out} out, wanted {wanted}: backward"
        expect(shown, call, right)


@exercise("4.3")
def test_copies_are_summed_as_numpy_sums_them():
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
        grad = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
        places = np.broadcast_to(np.arange(np.prod(wanted, dtype=int)).reshape(wanted), shape)
        summed = np.bincount(places.ravel(), grad.ravel()).reshape(wanted).tolist()
        given = arange(1.0, 1.0 + grad.size).reshape(shape).array
        shown = f"array = 1, 2, 3, ... of shape {shape}: unbroadcast(array, {wanted})"
        expect(shown, lambda g=given, to=wanted: unbroadcast(g, to).tolist(), summed)


# ---- The walk ------------------------------------------------------------------------------------


class Pass(Node):
    """Sends its gradient on, times a number for each edge; 1 sends the very same tensor."""

    __slots__ = ()

    def backward(self, grad):
        """Return the gradient times each number of `context`; None for None."""
        return tuple(k if k is None else grad if k == 1 else grad * k for k in self.context)


def graph(*described):
    """Make nodes, oldest first, from strings such as "0 x *2": edges to node 0, leaf x, times 2.

    A factor belongs to the edge before it; `-` is an edge that is None.
    """
    nodes, leaves = [], {}
    for line in described:
        edges, factors = [], []
        for word in line.split():
            if word.startswith("*"):
                factors[-1] = None if word == "*none" else float(word[1:])
                continue
            if not word.isdigit() and word != "-":
                leaves.setdefault(word, ones(1, requires_grad=True))
            edges.append(nodes[int(word)] if word.isdigit() else leaves.get(word))
            factors.append(1)
        nodes.append(Pass(tuple(edges), (), tuple(factors)))
    return nodes, leaves


def spelled(described):
    """Spell a graph as sums, such as "node 0 = 2 a, node 1 = node 0 + a"."""
    lines = []
    for number, line in enumerate(described):
        terms = []
        for word in line.split():
            if word == "*none":
                terms[-1] += " (its part is None)"
            elif word.startswith("*"):
                terms[-1] = f"{word[1:]} {terms[-1]}"
            else:
                terms.append(f"node {word}" if word.isdigit() else word.replace("-", "None"))
        lines.append(f"node {number} = {' + '.join(terms)}")
    return ", ".join(lines)


def planned(described, roots):
    """Return what `plan` says, with nodes as their places in the description."""
    nodes, leaves = graph(*described)
    order, complete = engine.plan([nodes[k] for k in roots])
    place = {node.number: k for k, node in enumerate(nodes)}
    letters = {leaf: letter for letter, leaf in leaves.items()}
    found = {place[k]: sorted(letters[leaf] for leaf in held) for k, held in complete.items()}
    return [place[node.number] for node in order], dict(sorted(found.items()))


@exercise("4.4")
def test_the_plan_is_newest_first_and_leaves_wait_for_their_oldest_user():
    for described, roots, right in [
        (["a"], [0], ([0], {0: ["a"]})),
        (["a b"], [0], ([0], {0: ["a", "b"]})),
        (["a", "0"], [1], ([1, 0], {0: ["a"]})),
        (["a -"], [0], ([0], {0: ["a"]})),
        (["a", "0 a"], [1], ([1, 0], {0: ["a"]})),
        (["a", "0 0"], [1], ([1, 0], {0: ["a"]})),
        (["a", "b"], [0], ([0], {0: ["a"]})),
        (["a", "0", "0", "1 2"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "0", "0", "2 1"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "0", "1", "0 2"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "0", "1", "2 0"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "b", "0 1"], [2, 0], ([2, 1, 0], {0: ["a"], 1: ["b"]})),
        (["a", "b 0", "a b 1"], [2], ([2, 1, 0], {0: ["a"], 1: ["b"]})),
        (["a", "0"], [1, 1], ([1, 0], {0: ["a"]})),
        (["a", "0"], [1, 0, 1], ([1, 0], {0: ["a"]})),
    ]:
        shown = f"plan({[f'node {k}' for k in roots]}) where {spelled(described)}"
        expect(shown, lambda d=described, r=roots: planned(d, r), right)


@exercise("4.4")
def test_a_plan_may_be_deep():
    def length(depth):
        node = Pass((ones(1, requires_grad=True),), (), (1,))
        for _ in range(depth - 1):
            node = Pass((node,), (), (1,))
        return len(engine.plan([node])[0])

    for depth in (10, 50_000):
        expect(f"plan: {depth} nodes in a row: how many", lambda d=depth: length(d), depth)


def simple_plan(roots):
    """Return every node and leaf below the roots, as `plan` does; the tests' own, and slower."""
    nodes, leaves, waiting = {}, {}, list(roots)
    while waiting:
        node = waiting.pop()
        nodes[node.number] = node
        for edge in filter(lambda edge: edge is not None, node.edges):
            if isinstance(edge, Node):
                waiting.append(edge)
            else:
                leaves[edge] = min(leaves.get(edge, node.number), node.number)
    complete = {
        number: [leaf for leaf, last in leaves.items() if last == number] for number in nodes
    }
    return [nodes[number] for number in sorted(nodes, reverse=True)], complete


def gradients(described):
    """Return the gradient of each leaf, and what became of the gradient that was passed in."""
    nodes, leaves = graph(*described)
    start, found = ones(1), {}
    with (
        patch.object(engine, "plan", simple_plan),
        patch.object(engine, "BackwardPass", nullcontext),
    ):
        options = {"retain_graph": False, "create_graph": False}
        engine.run(
            [nodes[-1]],
            [start],
            lambda leaf, arrived: found.update({leaf: arrived.pop(leaf)}),
            **options,
        )
    result = {letter: found[leaf].item() for letter, leaf in leaves.items() if leaf in found}
    return {**result, "start": start.item()}


@exercise("4.5")
def test_gradients_of_what_is_used_twice_add_up():
    for described, right in [
        (["a *3"], {"a": 3.0}),
        (["a *2 b *5"], {"a": 2.0, "b": 5.0}),
        (["a *2 -"], {"a": 2.0}),
        (["a *2 b *none"], {"a": 2.0}),
        (["a *2 a *5"], {"a": 7.0}),
        (["a a"], {"a": 2.0}),
        (["a", "0 *2", "0 *3", "1 2"], {"a": 5.0}),
        (["a", "0 a"], {"a": 2.0}),
        (["a *2", "a b 0"], {"a": 3.0, "b": 1.0}),
    ]:
        shown = f"every gradient, backward from the last of {spelled(described)}"
        expect(shown, lambda d=described: gradients(d), {**right, "start": 1.0})


# ---- The switch and the check --------------------------------------------------------------------


@contextmanager
def fresh_mode():
    """Begin with recording on, whatever an answer left behind."""
    mode.enabled, mode.inference = True, False
    try:
        yield
    finally:
        mode.enabled, mode.inference = True, False


def seen_in(*blocks):
    """Return the mode inside nested blocks, each entered in turn, then after leaving each."""
    seen = []
    with fresh_mode():
        for block in blocks:
            block.__enter__()
            seen.append((is_grad_enabled(), is_inference_mode_enabled()))
        for block in reversed(blocks):
            block.__exit__(None, None, None)
            seen.append((is_grad_enabled(), is_inference_mode_enabled()))
    return seen


ON, OFF, INFERENCE = (True, False), (False, False), (False, True)


@exercise("4.6")
def test_a_block_restores_what_it_found():
    for names, blocks, right in [
        ("no_grad", [no_grad()], [OFF, ON]),
        ("enable_grad", [enable_grad()], [ON, ON]),
        ("no_grad in no_grad", [no_grad(), no_grad()], [OFF, OFF, OFF, ON]),
        ("enable_grad in no_grad", [no_grad(), enable_grad()], [OFF, ON, OFF, ON]),
        ("inference_mode", [inference_mode()], [INFERENCE, ON]),
        (
            "enable_grad in inference_mode",
            [inference_mode(), enable_grad()],
            [INFERENCE, (True, True), INFERENCE, ON],
        ),
        ("one no_grad twice", [no_grad()] * 2, [OFF, OFF, OFF, ON]),
    ]:
        shown = f"{names}: (recording, inference) inside, then after"
        expect(shown, lambda blocks=blocks: seen_in(*blocks), right)


@exercise("4.6")
def test_a_block_can_be_named():
    def named():
        block = no_grad()
        with fresh_mode(), block as seen:
            return seen is block

    expect("with block as seen: seen is block", named, True)


@exercise("4.7")
def test_central_differences_are_exact_for_squares():
    def cases():
        yield "x * x", lambda x: x * x, [3.0], [[6.0]]
        yield "x * x", lambda x: x * x, [1.0, -2.0], [[2.0, 0.0], [0.0, -4.0]]
        yield "(x * x).sum()", lambda x: (x * x).sum(), [1.0, 2.0, 3.0], [[2.0, 4.0, 6.0]]
        yield "x.expand(2)", lambda x: x.expand(2), [1.0], [[1.0], [1.0]]
        yield "x[0] * x[1]", lambda x: x[0] * x[1], [2.0, 3.0], [[3.0, 2.0]]
        yield "x * x[0]", lambda x: x * x[0], [2.0, 3.0], [[4.0, 0.0], [3.0, 2.0]]
        yield "x.sum(1)", lambda x: x.sum(1), [[1.0, 2.0]], [[1.0, 1.0]]

    for name, func, values, right in cases():
        x = tensor(values, dtype=float64, requires_grad=True)
        shown = f"f(x) = {name} at {values}, eps = 0.5"
        expect(shown, lambda f=func, x=x: _numeric(f, [x], x, 0, 0.5), right)


# ---- Gradients of layers -------------------------------------------------------------------------


def rounded(values):
    """Return a tensor or an array as nested lists, to four digits behind the point."""
    return np.round(np.array(values.tolist()), 4).tolist()


def shares(scores, dim):
    """Return the softmax of NumPy."""
    e = np.exp(np.array(scores))
    return e / e.sum(dim, keepdims=True)


@exercise("4.8")
def test_the_gradient_of_shares_is_numpys():
    for scores, grad, dim in [
        ([0.0], [3.0], 0),
        ([0.0, 0.0], [1.0, 0.0], 0),
        ([0.0, 0.0], [1.0, 1.0], 0),
        ([1.0, 0.0, 2.0], [1.0, -2.0, 0.5], 0),
        ([[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]], 1),
        ([[0.0, 1.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]], 0),
        ([[[0.0, 1.0], [1.0, 3.0]]], [[[1.0, 2.0], [3.0, 5.0]]], 1),
    ]:
        y, g = shares(scores, dim), np.array(grad)
        right = rounded(y * (g - (g * y).sum(dim, keepdims=True)))
        node = played([tensor(y.tolist())], (True,), dim)
        shown = f"y = softmax({scores}, {dim}): backward({grad})"
        call = lambda n=node, g=grad: rounded(Softmax.backward(n, tensor(g))[0])  # noqa: E731
        expect(shown, call, right)


def brought_to_one(x, dims):
    """Return (x - mean) / root and 1 / root, of NumPy."""
    centred = x - x.mean(dims, keepdims=True)
    rstd = 1 / np.sqrt((centred**2).mean(dims, keepdims=True))
    return centred * rstd, rstd


@exercise("4.9")
def test_the_gradient_of_a_normalisation_is_numpys():
    for x, h, dims in [
        ([[1.0, 3.0]], [[1.0, 1.0]], (1,)),
        ([[1.0, 3.0]], [[1.0, 0.0]], (1,)),
        ([[1.0, 3.0, 5.0]], [[1.0, 0.0, 0.0]], (1,)),
        ([[10.0, 30.0, 50.0]], [[1.0, 0.0, 0.0]], (1,)),
        ([[1.0, 2.0, 6.0], [4.0, 0.0, 2.0]], [[1.0, 2.0, 0.0], [0.0, 3.0, 1.0]], (1,)),
        ([[1.0, 2.0], [4.0, 0.0], [0.0, 2.0]], [[1.0, 2.0], [0.0, 3.0], [5.0, 1.0]], (0,)),
    ]:
        y, rstd = brought_to_one(np.array(x), dims)
        g = np.array(h)
        part = g - g.mean(dims, keepdims=True) - y * (g * y).mean(dims, keepdims=True)
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
        table = np.zeros((rows, len(grad[0])))
        for place, row in enumerate(index):
            if row != padding:
                table[row] += np.array(grad[place]) / times[row]
        node = played([tensor(index)], (True,), (rows, padding, by_freq))
        shown = f"{rows} rows, index {index}, padding {padding}, by_freq {by_freq}: "
        call = lambda n=node, g=grad: rounded(Embedding.backward(n, tensor(g))[0])  # noqa: E731
        expect(f"{shown}backward({grad})", call, rounded(table))


def attended(query, key, is_causal, scale):
    """Return what NumPy mixes of the unit vectors: the weights themselves."""
    q, k = np.array(query), np.array(key)
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        hidden = np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None]
        scores = np.where(hidden, -np.inf, scores)
    return shares(scores, -1)


@exercise("4.11")
def test_the_weights_of_attention_are_numpys():
    two, four = [[1.0, 0.0], [0.0, 2.0]], [[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 2.0]]
    for query, key, is_causal, scale in [
        ([[1.0]], [[2.0]], False, None),
        ([[1.0]], [[2.0], [3.0]], False, None),
        (two, two, False, 1.0),
        (two, two, False, None),
        (four, four, False, None),
        (four, four[:1], False, 0.5),
        (four, four, True, None),
        ([*four, four[0]], [*four, four[1]], True, 0.25),
        ([four], [four], True, None),
    ]:
        given = tensor(query), tensor(key), tensor(np.eye(np.array(key).shape[-2]).tolist())
        shown = f"query {query}, key {key}, is_causal={is_causal}, scale={scale}: weights"
        options = (is_causal, scale)
        call = lambda g=given, o=options: rounded(_attention_reference(*g, None, o))  # noqa: E731
        expect(shown, call, rounded(attended(query, key, is_causal, scale)))
