"""The tests of exercises 4.1 to 4.11: from small cases to large, judged against NumPy or by hand.

`make check 4.3` runs those marked 4.3 on the reader's answer; pytest runs all of them on the
reference. A test uses nothing that another exercise writes: nodes are asked directly or played by
`SimpleNamespace`, and no test but those of 4.5 starts a backward pass.
"""

from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import ClassVar
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
    """Return tensors and arrays as nested lists, all else as it is."""
    if isinstance(results, Tensor) or results is None:
        return results and "one tensor, not a tuple"
    return tuple(r.tolist() if hasattr(r, "tolist") else r for r in results)


def only(results):
    """Return the one gradient of a node's answer, to four digits behind the point."""
    if isinstance(results, tuple | list) and len(results) == 1:
        return rounded(results[0])
    return results and "a tensor, not a tuple of one"


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


def linear_gradients(x_shape, out, wanted, given=tensor):
    """Return what Linear answers for inputs that count up, `given` as tensors or as arrays, and
    what NumPy answers.
    """
    size = x_shape[-1]
    x = np.arange(np.prod(x_shape), dtype=np.float32).reshape(x_shape)
    w = np.arange(out * size, dtype=np.float32).reshape(out, size) - 2
    dz = np.arange(np.prod(x_shape[:-1]) * out, dtype=np.float32).reshape(*x_shape[:-1], out) + 1
    kept = [given(x) if wanted[1] else None, given(w) if wanted[0] else None]
    node = played(kept, wanted, (x_shape, out))
    rows, inputs = dz.reshape(-1, out), x.reshape(-1, size)
    right = (dz @ w).tolist(), (rows.T @ inputs).tolist(), rows.sum(0).tolist()
    right = tuple(r if wants else None for r, wants in zip(right, wanted, strict=True))
    return (lambda: listed(Linear.backward(node, given(dz)))), right


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


@exercise("4.2")
def test_a_linear_map_backward_takes_arrays():
    for x_shape, out in [((2, 3), 2), ((2, 2, 3), 2)]:
        call, right = linear_gradients(x_shape, out, (True,) * 3, lambda x: tensor(x).array)
        expect(f"X {x_shape}, {out} out, all bare arrays: backward", call, right)


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
    """Return what `plan` says: nodes as their places in the description, leaves as letters."""
    nodes, leaves = graph(*described)
    found = engine.plan([nodes[k] for k in roots])
    if found is None:
        return None
    place = {node.number: k for k, node in enumerate(nodes)}
    names = {None: "None", **{leaf: letter for letter, leaf in leaves.items()}}
    names |= {node: f"node {k}" for k, node in enumerate(nodes)}
    order = [place[x.number] if isinstance(x, Node) else names[x] for x in found[0]]
    complete = {}
    for key, held in found[1].items():
        several = isinstance(held, list)
        complete[place[key] if isinstance(key, int) else names[key]] = (
            sorted(names[leaf] for leaf in held) if several else held
        )
    return order, dict(sorted(complete.items(), key=str))


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
        (["a", "0 b", "1 -", "2 a", "3 b"], [4], ([4, 3, 2, 1, 0], {0: ["a"], 1: ["b"]})),
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


class Counted(Pass):
    """A node whose edges are its context; a list that all share counts the looks at them."""

    __slots__ = ()
    looks: ClassVar[list[int]] = []

    @property
    def edges(self):
        """The edges, as any node has them."""
        self.looks.append(self.number)
        return self.context

    @edges.setter
    def edges(self, edges):
        pass


@exercise("4.4")
def test_a_node_is_looked_at_once_however_many_paths_lead_to_it():
    def looks(length):
        node = ones(1, requires_grad=True)
        for _ in range(length):
            node = Counted((), (), (node, node))
        Counted.looks.clear()
        engine.plan([node])
        return len(Counted.looks) <= 2 * length

    for length in (2, 10):
        shown = f"plan: {length} nodes in a row, each using the one before twice: "
        expect(f"{shown}each is looked at once", lambda n=length: looks(n), True)


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
    start, found = tensor([1.0, 10.0]), {}
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
    letters = {leaf: letter for letter, leaf in leaves.items()}
    result = {letters.get(leaf, "None"): listed([grad])[0] for leaf, grad in found.items()}
    return {**dict(sorted(result.items())), "start": start.tolist()}


@exercise("4.5")
def test_gradients_of_what_is_used_twice_add_up():
    for described, right in [
        (["a *3"], {"a": 3.0}),
        (["a *2 b *5"], {"a": 2.0, "b": 5.0}),
        (["a *2 -"], {"a": 2.0}),
        (["a *2 b *none"], {"a": 2.0}),
        (["- a *2"], {"a": 2.0}),
        (["a *2 a *none"], {"a": 2.0}),
        (["a *2 a *5"], {"a": 7.0}),
        (["a *0 a *5"], {"a": 5.0}),
        (["a a"], {"a": 2.0}),
        (["a", "0 *2", "0 *3", "1 2"], {"a": 5.0}),
        (["a", "0 a"], {"a": 2.0}),
        (["a *2", "a b 0"], {"a": 3.0, "b": 1.0}),
    ]:
        shown = f"every gradient, [1, 10] backward from the last of {spelled(described)}"
        grads = {letter: [factor, 10 * factor] for letter, factor in right.items()}
        expect(shown, lambda d=described: gradients(d), {**grads, "start": [1.0, 10.0]})


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
            return seen and seen is block

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
        yield "x * x.detach()", lambda x: x * x.detach(), [3.0], [[6.0]]

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
        call = lambda n=node, g=grad: only(Softmax.backward(n, tensor(g)))  # noqa: E731
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
        ([[[1.0, 5.0]], [[4.0, 2.0]]], [[[1.0, 2.0]], [[0.0, 4.0]]], (0, 2)),
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
        call = lambda n=node, g=grad: only(Embedding.backward(n, tensor(g)))  # noqa: E731
        expect(f"{shown}backward({grad})", call, rounded(table))


def attended(query, key, seen, is_causal, scale):
    """Return what NumPy mixes of the unit vectors: the weights themselves; 0 for what sees none."""
    q, k = np.array(query), np.array(key)
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    hidden = np.zeros(scores.shape[-2:], bool) if seen is None else ~np.array(seen)
    if is_causal:
        hidden = hidden | (np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None])
    e = np.where(hidden, 0, np.exp(scores))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-30)


@exercise("4.11")
def test_the_weights_of_attention_are_numpys():
    two, four = [[1.0, 0.0], [0.0, 2.0]], [[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 2.0]]
    three, swapped = [*four, four[0]], [four[1], four[0]]
    for query, key, seen, is_causal, scale in [
        ([[1.0]], [[2.0]], None, False, None),
        ([[1.0]], [[2.0], [3.0]], None, False, None),
        (two, two, None, False, 1.0),
        (two, two, None, False, None),
        (four, four, None, False, None),
        (four, four[:1], None, False, 0.5),
        (four, four, None, True, None),
        (three, [*four, four[1]], None, True, 0.25),
        ([four], [four], None, True, None),
        (four, three, None, True, None),
        (three, four, None, True, None),
        ([four, swapped, four], [swapped, four, four], None, True, None),
        (four, four, [False, True], True, None),
    ]:
        values = np.eye(np.array(key).shape[-2])
        given = tensor(query), tensor(key), tensor(values.tolist()), seen and tensor(seen)
        mask = "" if seen is None else f"mask {seen}, "
        shown = f"query {query}, key {key}, {mask}is_causal={is_causal}, scale={scale}: weights"
        options = (is_causal, scale)
        call = lambda g=given, o=options: rounded(_attention_reference(*g, o))  # noqa: E731
        expect(shown, call, rounded(attended(query, key, seen, is_causal, scale)))
