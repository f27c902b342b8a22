"""The tests of the exercises about the walk and the modes, 4.4 to 4.7, 4.13, 4.14 and 4.16: from
small cases to large. Those about single nodes: test_exercises_nodes.py.

`make check 4.4` runs those marked 4.4 on the reader's answer; pytest runs all of them on the
reference. A test uses nothing that another exercise writes: no test but those of 4.5 starts a
backward pass.
"""

import math
import random
import sys
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import ClassVar
from unittest.mock import patch

import norch_strides as strides
from norch_autograd import Tensor, float16, float64, manual_seed, ones, rand, tensor
from norch_autograd.autograd.checkpoint import _Frame
from norch_autograd.autograd.function import Call, Function, UserNode
from norch_autograd.autograd.gradcheck import _numeric
from norch_autograd.engine import engine
from norch_autograd.engine.hooked import nodes_leading_to
from norch_autograd.graph.composite import composite, is_composite_enabled
from norch_autograd.graph.grad_mode import (
    Switch,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
)
from norch_autograd.graph.node import Node
from norch_autograd.graph.record import keep
from norch_autograd.graph.saved_tensors import Packed, saved_tensors_hooks
from norch_autograd.graph.tensor_base import plain
from norch_autograd.types.modes import mode
from norch_course.testing import exercise, expect, expect_error

# ---- The walk ------------------------------------------------------------------------------------


class Pass(Node):
    """Sends its gradient on, times a number for each edge; 1 sends the very same tensor."""

    __slots__ = ()

    def backward(self, grad):
        """Return the gradient times each number of `context`; None for None."""
        return tuple(k if k is None else grad if k == 1 else grad * k for k in self.context)


def backwards(values):
    """Return a tensor that lies in memory from its last element to its first."""
    x = tensor(values)
    array = x.flip(*range(x.ndim)).array
    for dim in range(x.ndim):
        array = array.view(strides.flip(array.layout, dim))
    return plain(array)


HUGE = 2.0**127  # a float32, and twice as much is none
FORMS = {  # of tensors
    "zero": tensor(0.0),
    "one": tensor([1.0]),
    "several": tensor([1.0, 0.0]),
    "empty": tensor([]),
    "half": tensor([1.0, 2.0], dtype=float16),
    "double": tensor([1.0, 2.0], dtype=float64),
    "backwards": backwards([1.0, 2.0]),
    "shared": tensor(2.0).expand(2),
    "huge": tensor([HUGE, HUGE]),
}


def graph(*described):
    """Make nodes, oldest first, from strings such as "0 x *2": edges to node 0, leaf x, times 2.

    A factor belongs to the edge before it; `-` is an edge that is None. Leaves with names from
    FORMS are such tensors.
    """
    nodes, leaves = [], {}
    for line in described:
        edges, factors = [], []
        for word in line.split():
            if word.startswith("*"):
                factors[-1] = None if word == "*none" else float(word[1:])
                continue
            if not word.isdigit() and word != "-":
                leaves.setdefault(word, FORMS.get(word, ones(1)).detach().requires_grad_())
            edges.append(nodes[int(word)] if word.isdigit() else leaves.get(word))
            factors.append(1)
        nodes.append(Pass(tuple(edges), (), tuple(factors)))
        nodes[-1].number = len(nodes) - 1
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


def newest_first(places):
    """Return places in the order of a plan, and what is none at the end."""
    return sorted(places, reverse=True, key=lambda one: (isinstance(one, int), one))


def planned(described, roots, in_order=False):
    """Return what `plan` says: nodes as their places in the description, leaves as letters.

    Only one test asks for their order, so that an answer without any has one miss.
    """
    nodes, leaves = graph(*described)
    found = engine.plan([nodes[k] if isinstance(k, int) else leaves[k] for k in roots])
    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict)):
        return found and "no pair of a list and a dict"
    names = {None: "None", **{leaf: letter for letter, leaf in leaves.items()}}
    names |= {node: f"node {k}" for k, node in enumerate(nodes)}
    place = {node: k for k, node in enumerate(nodes)}
    complete = {}
    for key, held in found[1].items():
        several = isinstance(held, list)
        complete[names.get(key, key)] = (
            sorted(names.get(leaf, "?") for leaf in held) if several else names.get(held, held)
        )
    order = [place.get(one, names.get(one, f"number {one}")) for one in found[0]]
    if not in_order:
        order = newest_first(order)
    return order, dict(sorted(complete.items(), key=str))


@exercise("4.4")
def test_the_plan_is_newest_first_in_whatever_order_nodes_are_found():
    def order(count, roots):
        leaves = [str(k) for k in range(count)]  # nodes of their own, found by one
        random.Random(4).shuffle(leaves)
        found = planned([*"a" * count, " ".join(leaves)], roots, in_order=True)
        if not isinstance(found, tuple):
            return found
        newest = newest_first(found[0])
        return {str(newest): "newest first", str(newest[::-1]): "oldest first"}.get(
            str(found[0]), "neither"
        )

    shown = "plan: 30 nodes, and one that uses all of them in another order: "
    expect(f"{shown}how they are sorted", lambda: order(30, [30]), "newest first")
    shown += "the root, and an older one first: "
    expect(f"{shown}how they are sorted", lambda: order(30, [3, 30]), "newest first")


@exercise("4.4")
def test_the_plan_is_newest_first_and_leaves_wait_for_their_oldest_user():
    for described, roots, right in [
        (["a"], [0], ([0], {0: ["a"]})),
        (["a b"], [0], ([0], {0: ["a", "b"]})),
        (["a", "0"], [1], ([1, 0], {0: ["a"]})),
        (["a -"], [0], ([0], {0: ["a"]})),
        (["- a"], [0], ([0], {0: ["a"]})),
        (["a", "- 0"], [1], ([1, 0], {0: ["a"]})),
        (["a", "0 a"], [1], ([1, 0], {0: ["a"]})),
        (["a", "0 0"], [1], ([1, 0], {0: ["a"]})),
        (["a", "b"], [0], ([0], {0: ["a"]})),
        (["-", "a", "a", "1 2"], [3], ([3, 2, 1], {1: ["a"]})),
        (["-", "a", "a", "2 1"], [3], ([3, 2, 1], {1: ["a"]})),
        (["a", "a", "0 1"], [2], ([2, 1, 0], {0: ["a"]})),
        (["a", "a", "1 0"], [2], ([2, 1, 0], {0: ["a"]})),
        (["a", "0", "0", "1 2"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "0", "0", "2 1"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "0", "1", "0 2"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "0", "1", "2 0"], [3], ([3, 2, 1, 0], {0: ["a"]})),
        (["a", "b", "0 1"], [2, 0], ([2, 1, 0], {0: ["a"], 1: ["b"]})),
        (["a", "b 0", "a b 1"], [2], ([2, 1, 0], {0: ["a"], 1: ["b"]})),
        (["a", "0 a"], [1, 0], ([1, 0], {0: ["a"]})),
        (["a", "0"], [1, 1], ([1, 0], {0: ["a"]})),
        (["a", "0"], [1, 0, 1], ([1, 0], {0: ["a"]})),
        (["a", "0 b", "1 -", "2 a", "3 b"], [4], ([4, 3, 2, 1, 0], {0: ["a"], 1: ["b"]})),
        (["- -"], [0], ([0], {})),
        (["a"], [], ([], {})),
        (["a"], ["a"], ([], {})),
        (["a", "0 b"], ["b", 1], ([1, 0], {0: ["a"], 1: ["b"]})),
        (["zero"], [0], ([0], {0: ["zero"]})),
        ([" ".join(FORMS)], [0, *FORMS], ([0], {0: sorted(FORMS)})),
    ]:
        named = [f"node {k}" if isinstance(k, int) else k for k in roots]
        shown = f"plan({named}) where {spelled(described)}"
        expect(shown, lambda d=described, r=roots: planned(d, r), right)


@contextmanager
def fixed_limit():
    """Allow 1000 calls within each other, as Python does at first, and let nobody raise it."""
    found, allow = sys.getrecursionlimit(), sys.setrecursionlimit
    allow(1000)
    try:
        with patch.object(sys, "setrecursionlimit", lambda limit: None):
            yield
    finally:
        allow(found)


@exercise("4.4")
def test_a_plan_may_be_deep():
    def length(depth):
        node = Pass((ones(1, requires_grad=True),), (), (1,))
        for _ in range(depth - 1):
            node = Pass((node,), (), (1,))
        with fixed_limit():
            return len(engine.plan([node])[0])

    for depth in (10, 1_200):
        expect(f"plan: {depth} nodes in a row: how many", lambda d=depth: length(d), depth)


class Counted(Pass):
    """A node whose edges are what it kept. Lists that all share count how often nodes are asked for
    them, how often for their number, and how often one is compared with others, as a search through
    a list does.
    """

    __slots__ = ()
    looks: ClassVar[list[Node]] = []
    asked: ClassVar[list[Node]] = []
    compared: ClassVar[list[Node]] = []

    @property
    def edges(self):
        """The edges, as any node has them."""
        self.looks.append(self)
        return self.kept

    @edges.setter
    def edges(self, edges):
        pass

    @property
    def number(self):
        """The number that it was given."""
        self.asked.append(self)
        return self.context

    @number.setter
    def number(self, number):
        pass

    def __eq__(self, other):
        """Tell whether it is this very node."""
        self.compared.append(self)
        return self is other

    __hash__ = Pass.__hash__


def ladder(length, uses=2):
    """Make nodes, newest first, of which each uses the one before twice; the first, a leaf."""
    node, found = ones(1, requires_grad=True), []
    for number in range(length):
        node = Counted((), (node,) * uses, number)
        found.append(node)
    for counts in (Counted.looks, Counted.asked, Counted.compared):
        counts.clear()
    return found[::-1]


@exercise("4.4")
def test_a_node_is_looked_at_once_however_many_paths_lead_to_it():
    def looks(length):
        engine.plan(ladder(length)[:1])
        return len(Counted.looks) <= 2 * length

    for length in (2, 10):
        shown = f"plan: {length} nodes in a row, each using the one before twice: "
        expect(f"{shown}each is looked at once", lambda n=length: looks(n), True)


@exercise("4.4")
def test_no_node_is_searched_for_among_all():
    def few(counts, length):
        engine.plan(ladder(length, uses=1)[:1])
        return len(counts) <= 10 * length

    shown = "plan: 100 nodes in a row: "
    call = lambda: few(Counted.compared, 100)  # noqa: E731
    expect(f"{shown}no node is searched for in a list", call, True)
    call = lambda: few(Counted.asked, 100)  # noqa: E731
    expect(f"{shown}no number is asked for again and again", call, True)
    wide = [*(f"x{k}" for k in range(300)), " ".join(map(str, range(300)))]
    call = lambda: len(planned(wide, [300])[1])  # noqa: E731
    expect("plan: 300 nodes with a leaf each: how many numbers have leaves", call, 300)


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


def gradients(described, start, on_arrays=False):
    """Return the gradient of each leaf, and what became of the gradient that was passed in."""
    nodes, leaves = graph(*described)
    found = {}
    with (
        patch.object(engine, "plan", simple_plan),
        patch.object(engine, "BackwardPass", lambda recorded: nullcontext(on_arrays)),
    ):
        options = {"retain_graph": False, "create_graph": False}
        engine.run(
            nodes[-1:],
            [start] * len(nodes[-1:]),
            lambda leaf, grad: found.update({leaf: grad}),
            **options,
        )
    letters = {leaf: letter for letter, leaf in leaves.items()}
    result = {
        letters.get(leaf, "None"): None if grad is None else grad.tolist()
        for leaf, grad in found.items()
    }
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
        call = lambda d=described: gradients(d, tensor([1.0, 10.0]))  # noqa: E731
        expect(shown, call, {**grads, "start": [1.0, 10.0]})


@exercise("4.5")
def test_an_ordinary_pass_adds_bare_arrays():
    for described, factor in [(["a *3"], 3.0), (["a *2 a *5"], 7.0), (["a", "0 a"], 2.0)]:
        shown = f"as bare arrays: every gradient, [1, 10] backward from {spelled(described)}"
        right = {"a": [factor, 10 * factor], "start": [1.0, 10.0]}
        call = lambda d=described: gradients(d, tensor([1.0, 10.0]), on_arrays=True)  # noqa: E731
        expect(shown, call, right)


@exercise("4.5")
def test_gradients_and_leaves_of_every_form_add_up():
    for name, start in FORMS.items():
        twice = (start * 0.5).tolist()
        shown = f"every gradient, {start.tolist()} ({name}) backward from node 0 = 0.25 a + 0.25 a"
        call = lambda s=start: gradients(["a *0.25 a *0.25"], s)  # noqa: E731
        expect(shown, call, {"a": twice, "start": start.tolist()})
    described = [" ".join(FORMS)]
    shown = f"every gradient, [1] backward from {spelled(described)}"
    right = {name: [1.0] for name in [*FORMS, "start"]}
    expect(shown, lambda: gradients(described, tensor([1.0])), right)
    call = lambda: str(gradients(["a"], tensor([math.inf]))["a"])  # noqa: E731
    expect("the gradient of a, [inf] backward from node 0 = a, as text", call, "[inf]")
    wide = [" ".join(f"x{k}" for k in range(300))]
    call = lambda: len(gradients(wide, tensor([1.0])))  # noqa: E731
    expect("a node with 300 leaves: how many have a gradient, and the start", call, 301)
    call = lambda: gradients([], tensor([1.0]))  # noqa: E731
    expect("every gradient where there is no root", call, {"start": [1.0]})


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
        (
            "inference_mode(False) in inference_mode",
            [inference_mode(), inference_mode(False)],
            [INFERENCE, (True, False), INFERENCE, ON],
        ),
        ("one no_grad twice", [no_grad()] * 2, [OFF, OFF, OFF, ON]),
        (
            "one no_grad, enable_grad, the same no_grad",
            [again := no_grad(), enable_grad(), again],
            [OFF, ON, OFF, ON, OFF, ON],
        ),
        ("Switch(True, True)", [Switch(True, True)], [(True, True), ON]),
        ("Switch(False, False)", [Switch(False, False)], [OFF, ON]),
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
        yield "x * x * x", lambda x: x * x * x, [1.0], [[3.25]]
        yield "x * x * x", lambda x: x * x * x, [2.0], [[12.25]]
        yield "x * x", lambda x: x * x, [2.0**-10], [[2.0**-9]]
        yield "x * 2 ** -60", lambda x: x * 2.0**-60, [1.0], [[2.0**-60]]
        yield "x * 4096", lambda x: x * 4096.0, [1.0], [[4096.0]]
        yield "x * x", lambda x: x * x, 3.0, [[6.0]]
        yield "x[:0]", lambda x: x[:0], [3.0, 2.0], []
        yield "x.sum()", lambda x: x.sum(), [[1.0, 2.0], [3.0, 4.0]], [[1.0, 1.0, 1.0, 1.0]]
        yield "x * x", lambda x: x * x, [[[[[[1.0, 2.0]]]]]], [[2.0, 0.0], [0.0, 4.0]]

    for name, func, values, right in cases():
        x = tensor(values, dtype=float64, requires_grad=True)
        shown = f"f(x) = {name} at {values}, eps = 0.5"
        expect(shown, lambda f=func, x=x: _numeric(f, [x], x, 0, 0.5), right)


@exercise("4.7")
def test_the_input_and_the_output_that_are_asked_for():
    def product(x, y):
        return x * y * y, (x * y).sum()

    x, y = (tensor(two, dtype=float64, requires_grad=True) for two in ([2.0, 3.0], [5.0, 7.0]))
    for name, variable, number, right in [
        ("x * y * y by x", x, 0, [[25.0, 0.0], [0.0, 49.0]]),
        ("x * y * y by y", y, 0, [[20.0, 0.0], [0.0, 42.0]]),
        ("(x * y).sum() by y", y, 1, [[2.0, 3.0]]),
    ]:
        call = lambda v=variable, n=number: _numeric(product, [x, y], v, n, 0.25)  # noqa: E731
        expect(f"{name} at x = [2, 3], y = [5, 7], eps = 0.25", call, right)
    call = lambda: _numeric(product, [x, x], x, 1, 0.25)  # noqa: E731
    expect("(x * x).sum(), x given twice, at x = [2, 3], eps = 0.25", call, [[4.0, 6.0]])


@exercise("4.7")
def test_two_calls_an_entry_are_enough():
    x = tensor([1.0] * 24, dtype=float64, requires_grad=True)
    calls = []

    def doubled(x):
        calls.append(x)
        return x + x

    def counted():
        calls.clear()
        found = _numeric(doubled, [x], x, 0, 0.5)
        return sum(map(sum, found)), len(calls) <= 2 * 24 + 2

    shown = "x + x of 24 entries: the sum of all numbers, and are two calls an entry enough"
    expect(shown, counted, (48.0, True))


@exercise("4.7")
def test_an_input_of_every_form():
    for name in ("half", "double", "backwards", "shared"):
        x = FORMS[name].detach().requires_grad_()
        (a, b), shown = x.tolist(), f"x * x at {x.tolist()}, {name}, eps = 0.5"
        call = lambda x=x: _numeric(lambda x: x * x, [x], x, 0, 0.5)  # noqa: E731
        expect(shown, call, [[2 * a, 0.0], [0.0, 2 * b]])
    x = tensor([2.0**15, 2.0**15], dtype=float16, requires_grad=True)
    call = lambda: _numeric(lambda x: x - 2.0**14, [x], x, 0, 32.0)  # noqa: E731
    expect("x - 2 ** 14 at [2 ** 15, 2 ** 15], half, eps = 32", call, [[1.0, 0.0], [0.0, 1.0]])


# ---- What is kept --------------------------------------------------------------------------------


@contextmanager
def recording():
    """Switch the record on; `enable_grad` is another exercise's."""
    found, mode.enabled = mode.enabled, True
    try:
        yield
    finally:
        mode.enabled = found


def repeated(function, preserve=True, first=nullcontext, context=nullcontext):
    """Run a function as `checkpoint` does, and ask for the first value as a backward pass does.

    Return what the function noted, the value or an error, the number that is drawn next, and
    what is left behind: are operations recorded, is what they keep packed? `context` is the user's
    own setting of the second run.
    """
    notes, x = [], ones(1, requires_grad=True)
    manual_seed(3)
    with fresh_mode(), patch.dict(_Frame._repeat.__globals__, enable_grad=recording):
        with first():
            frame = _Frame(lambda: function(x, notes), preserve, context())
            with saved_tensors_hooks(frame.leave_out, frame.bring):
                function(x, notes)
        drawn()  # the program goes on
        mode.enabled = False
        try:
            value = [round(number, 4) for number in frame.bring(0).tolist()]
        except NotImplementedError:  # the hole is empty
            raise
        except (ValueError, KeyboardInterrupt, RuntimeError) as error:
            value = f"{type(error).__name__}: {error}"
        left, mode.enabled = mode.enabled, True
        packed = isinstance(x.exp().grad_fn.kept[0], Packed)
        return notes, value, drawn(), (left, packed)


def drawn():
    """Draw a number."""
    return round(rand(1).item(), 4)


def two_steps(x, notes):
    """Keep one value, then take note."""
    y = x.exp()
    notes.append("on")
    return y


def with_chance(x, notes):
    """Draw a number, note it, keep a value."""
    notes.append(drawn())
    return (x * notes[-1]).exp()


def twice_with_chance(x, notes):
    """Draw once more before the end."""
    return with_chance(x, notes), with_chance(x, notes)


def of_its_mode(x, notes):
    """Note the modes, then keep a value."""
    name = "composite" if is_composite_enabled() else "plain"
    notes.append(f"{name}, {'recorded' if mode.enabled else 'unrecorded'}")
    return x.exp()


def keeps_less(x, notes):
    """Keep two values in the first run, and one in the second."""
    notes.append(len(notes))
    y = x.exp()
    return y if len(notes) > 1 else y.exp()


def fails_again(x, notes):
    """Raise an error of its own in the second run."""
    notes.append(drawn())
    if len(notes) > 1:
        raise ValueError("not again")
    return x.exp()


def refuses_again(x, notes):
    """Raise a RuntimeError in the second run, as operations do."""
    notes.append(drawn())
    if len(notes) > 1:
        raise RuntimeError("refused")
    return x.exp()


def is_stopped(x, notes):
    """Be stopped from the keyboard in the second run."""
    notes.append(drawn())
    if len(notes) > 1:
        raise KeyboardInterrupt("stopped")
    return x.exp()


@exercise("4.13")
def test_the_second_run_brings_what_the_first_left_out():
    e = round(math.e, 4)
    shown = "y = x.exp() at x = 1, checkpointed: "
    for name, setting in [("plain", nullcontext), ("composite", composite)]:
        call = lambda s=setting: repeated(of_its_mode, first=s)[0]  # noqa: E731
        right = [f"{name}, recorded"] * 2
        expect(f"{shown}the modes of both runs, the first in {name} mode", call, right)
    call = lambda: repeated(of_its_mode, context=composite)[0]  # noqa: E731
    right = ["plain, recorded", "composite, recorded"]
    expect(f"{shown}the modes of both runs, the second in composite mode", call, right)
    expect(f"{shown}the value that comes back", lambda: repeated(two_steps)[1], [e])
    call = lambda: repeated(two_steps)[3]  # noqa: E731
    expect(f"{shown}(recorded, packed) after the second run", call, (False, False))
    call = lambda: repeated(two_steps)[0]  # noqa: E731
    expect(f"{shown}the steps of both runs, the second up to enough", call, ["on"])
    call = lambda: repeated(keeps_less)[0]  # noqa: E731
    expect("a function that keeps less when it runs again: the runs", call, [0, 1])
    call = lambda: repeated(two_steps, preserve=False)[1]  # noqa: E731
    expect(f"{shown}the value, without preserve_rng_state", call, [e])


@exercise("4.13")
def test_the_second_run_draws_as_the_first_and_leaves_no_trace():
    manual_seed(3)
    first, second, third, fourth = (drawn() for _ in range(4))
    for preserve, right in [(True, [first, first]), (False, [first, third])]:
        call = lambda p=preserve: repeated(with_chance, p)[0]  # noqa: E731
        expect(f"random numbers of both runs, preserve_rng_state={preserve}", call, right)
    call = lambda: repeated(twice_with_chance)[0]  # noqa: E731
    expect("two numbers and two values a run", call, [first, second, first, second])
    for function, preserve, right in [
        (with_chance, False, third),
        (two_steps, True, second),
        (with_chance, True, third),
        (twice_with_chance, True, fourth),
        (fails_again, True, third),
        (is_stopped, True, third),
    ]:
        call = lambda f=function, p=preserve: repeated(f, p)[2]  # noqa: E731
        shown = f"{function.__name__}, preserve_rng_state={preserve}: the number after both runs"
        expect(shown, call, right)
    call = lambda: repeated(fails_again)[1]  # noqa: E731
    expect("an error of the second run alone", call, "ValueError: not again")
    call = lambda: repeated(refuses_again)[1]  # noqa: E731
    expect("a RuntimeError of the second run alone", call, "RuntimeError: refused")
    call = lambda: repeated(is_stopped)[1]  # noqa: E731
    expect("the second run is stopped", call, "KeyboardInterrupt: stopped")


class Square(Function):
    """The program's own operation, of which only the name is needed here."""


def user_node(*kept, outputs=()):
    """Make the node of a call of `Square` that kept these tensors, its results at some places."""
    call = Call(Square, SimpleNamespace(_saved_outputs=[(i, 0) for i in outputs]), (), ())
    return UserNode((), keep(kept, call), call)


def handed_out(node):
    """Return what a node hands out: a tensor's value, does it want a gradient, is it a leaf."""

    def told(x):
        return (
            x
            if x is None
            else (x.tolist(), x.requires_grad, x.is_leaf)
            if isinstance(x, Tensor)
            else "?"
        )

    return [told(x) for x in node.saved_tensors]


@exercise("4.14")
def test_what_was_kept_comes_back_in_its_order():
    x, w = tensor([3.0]), tensor([5.0, 6.0], requires_grad=True)
    alike = tensor([3.0], requires_grad=True)
    for names, kept in [
        ("x", (x,)),
        ("x, w", (x, w)),
        ("x, None, w", (x, None, w)),
        ("None, x", (None, x)),
        ("None", (None,)),
        ("nothing", ()),
        ("x, w, and one like x that wants a gradient,", (x, w, alike)),
    ]:
        right = [one if one is None else (one.tolist(), one.requires_grad, True) for one in kept]
        shown = f"(value, requires_grad, is_leaf) of each of ctx.saved_tensors, {names} kept"
        expect(shown, lambda kept=kept: handed_out(user_node(*kept)), right)


@exercise("4.14")
def test_a_result_that_was_kept_comes_from_its_node():
    call = lambda: handed_out(user_node(tensor([3.0]), tensor([9.0]), outputs=[1]))  # noqa: E731
    shown = "(value, requires_grad, is_leaf) of each of ctx.saved_tensors, x and the result kept"
    expect(shown, call, [([3.0], False, True), ([9.0], True, False)])


@exercise("4.14")
def test_an_edit_is_an_error_and_one_before_is_not():
    def edited(place, *kept):
        node = user_node(*kept)
        kept[place].fill_(7.0)
        return handed_out(node)

    def edited_between():
        x = tensor([3.0])
        node = user_node(x)
        handed_out(node)
        x.fill_(7.0)
        return handed_out(node)

    def edited_before():
        x = tensor([3.0])
        x.fill_(4.0)
        return handed_out(user_node(x))

    def replaced():
        x = tensor([3.0])
        node = user_node(x)
        x.data = tensor([7.0])
        return handed_out(node)

    for place in (0, 1):
        call = lambda k=place: edited(k, tensor([3.0]), tensor([5.0]))  # noqa: E731
        expect_error(f"value {place} of two edited since: ctx.saved_tensors", call, RuntimeError)
    shown = "x edited after ctx.saved_tensors was read: ctx.saved_tensors again"
    expect_error(shown, edited_between, RuntimeError)
    expect("x edited before it was kept: ctx.saved_tensors", edited_before, [([4.0], False, True)])
    shown = "x = [3.0] kept, then x.data = [7.0], another memory: ctx.saved_tensors"
    expect(shown, replaced, [([3.0], False, True)])


@exercise("4.14")
def test_packed_values_are_unpacked_and_freed_ones_are_an_error():
    def packed():
        with saved_tensors_hooks(lambda t: t.tolist(), lambda values: tensor(values) * 2):
            node = user_node(tensor([3.0]), None)
        return handed_out(node)

    def freed():
        node = user_node(tensor([3.0]))
        node.kept = None
        return handed_out(node)

    expect(
        "x = [3.0] packed, unpacked by a hook that doubles", packed, [([6.0], False, True), None]
    )
    expect_error("after a first pass has freed all: ctx.saved_tensors", freed, RuntimeError)


# ---- Which nodes run -----------------------------------------------------------------------------


def leading(described, target):
    """Return the places of the nodes of a graph that run where `target` is asked for."""
    nodes, leaves = graph(*described)
    targets = {nodes[int(one)] if one.isdigit() else leaves[one] for one in target.split()}
    found = nodes_leading_to(targets, nodes[::-1])
    if not isinstance(found, set | frozenset):
        return found and f"a {type(found).__name__}, no set"
    if not all(isinstance(one, Node) for one in found):
        return "a set, not of nodes"
    return sorted(k for k, one in enumerate(nodes) if one in found)


@exercise("4.16")
def test_the_nodes_that_lead_to_a_target_run():
    for described, target, right in [
        (["a"], "a", [0]),
        (["a", "0"], "a", [0, 1]),
        (["a b"], "b", [0]),
        (["a -"], "a", [0]),
        (["a", "b", "0 1"], "a", [0, 2]),
        (["a", "b", "0 1"], "b", [1, 2]),
        (["a", "0", "1", "2"], "a", [0, 1, 2, 3]),
        (["a b"], "a b", [0]),
        (["a", "b", "1 1 0"], "a", [0, 2]),
        (["a", "0", "0", "1 2"], "a", [0, 1, 2, 3]),
        (["a", "b", "0 1", "1"], "a", [0, 2]),
        (["a", "0", "1"], "0", [1, 2]),
        (["a", "0", "1"], "0 a", [0, 1, 2]),
        (["a", "b", "0 0", "1 b", "3 2", "b"], "a", [0, 2, 4]),
        (["a", "0 b"], "1", []),
        (["a", "0", "1", "2", "3", "4"], "2", [3, 4, 5]),
        ([], "", []),
        (["zero", "several 0"], "zero", [0, 1]),
        ([*FORMS, "a"], " ".join(FORMS), list(range(len(FORMS)))),
    ]:
        shown = f"asked for {target}, where {spelled(described)}: the nodes that run"
        expect(shown, lambda d=described, t=target: leading(d, t), right)


@exercise("4.16")
def test_the_callers_list_and_set_stay_as_they_are():
    def left(described):
        nodes, leaves = graph(*described)
        order, targets = nodes[::-1], {leaves["a"]}
        nodes_leading_to(targets, order)
        return [nodes.index(node) for node in order], len(targets)

    shown = "asked for a, where {}: `order` as node numbers, and how many `targets`, after the call"
    for described, right in [(["a", "0"], ([1, 0], 1)), (["a", "b", "0 1"], ([2, 1, 0], 1))]:
        call = lambda d=described: left(d)  # noqa: E731
        expect(shown.format(spelled(described)), call, right)


@exercise("4.16")
def test_each_node_is_looked_at_once():
    def looked(length, target=None):
        order = ladder(length)
        found = nodes_leading_to({order[-1].kept[0] if target is None else target}, order)
        return len(found), len(Counted.looks) <= 3 * length + 1, not Counted.compared

    for length in (2, 12):
        shown = f"{length} nodes in a row, each using the one before twice: how many run, "
        shown += "is each looked at once, is none searched for in a list"
        expect(shown, lambda n=length: looked(n), (length, True, True))
    shown = "the same of 12 nodes, none of which leads to the target"
    expect(shown, lambda: looked(12, ones(1)), (0, True, True))


@exercise("4.16")
def test_graphs_may_be_deep():
    def chain(length, target=None):
        leaf = node = ones(1, requires_grad=True)
        order = []
        for _ in range(length):
            node = Pass((node,), (), (1,))
            order.append(node)
        with fixed_limit():
            return len(nodes_leading_to({leaf if target is None else target}, order[::-1]))

    expect("1200 nodes in a row: how many run", lambda: chain(1_200), 1_200)
    shown = "1200 nodes in a row, none of which leads to the target: how many run"
    expect(shown, lambda: chain(1_200, ones(1)), 0)
