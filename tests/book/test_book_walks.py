"""What the autograd stepper shows, beside norch itself: order, gradients and bytes of each frame.

How it behaves in a browser is tested in test_book_demos.py; here no page is opened.
"""

import importlib
import json

import pytest
from figures import graphs
from figures.stepper import Walk
from lessons import walks
from lessons.formulas import FormulaError, cut
from lessons.walk_record import record, record_impatient
from prose import BOOK

import norch_autograd as norch
from norch_autograd.engine.engine import plan

DIAMOND = "a = 1; b = a * 1; c = b * 2; d = b * 3; e = c + d"
FORMULAS = [
    DIAMOND,
    "w = 0; x = 3; b = 1; y = w * x + b",
    "x = 3; y = x * x; y + y * y",
    "w = 0.5; x = 2; b = -0.6; (w * x + b).tanh()",
    "x = [[1, -2, 0.5], [2, 1, -1]]; w = [[1], [2], [-1]]; (x @ w).relu().sum()",
    "x = [1, 2]; y = [[3], [4]]; (x * y).sum()",
    "x = [1, 2, 3]; norch.softmax(x, dim=0)[0] * x[1]",
    "x = [[1, 2], [3, 4]]; x.T.relu().sum() - x.mean()",
    "x = [3, 1, 2]; x.max(dim=0)[0] * 2",
    "x = 2; y = x.exp(); y = y * y; y / (1 + x)",
]


def computed(text):
    """Compute a formula as it stands; return its names and the result."""
    names = {"norch": norch}
    *statements, last = text.split(";")
    for statement in statements:
        name, _, value = statement.strip().partition(" = ")
        made = eval(value, names)
        if not isinstance(made, norch.Tensor):
            made = norch.tensor(made, dtype=norch.float32, requires_grad=True)
        names[name] = made
    return names, eval(last.rpartition(" = ")[2].strip(), names)


def kept(nodes):
    """Add up what nodes keep, each piece of memory once: what shares another's is part of it."""
    items = [item for node in nodes for item in node.kept or () if isinstance(item, tuple)]
    arrays = sorted((array for _, array, _ in items), key=lambda one: -one.nbytes)
    whole = []
    for array in arrays:
        if not any(array.shares_storage(one) for one in whole):
            whole.append(array)
    return sum(array.nbytes for array in whole)


def back(recording):
    """Return the frames of the way back: the first has not run anything."""
    return [frame for frame in recording.frames if frame.total]


@pytest.mark.parametrize("text", FORMULAS)
def test_the_nodes_are_those_of_the_engine_in_its_order(text):
    _, result = computed(text)
    recording = record(text)
    order = [type(node).__name__ for node in plan([result.node])[0]]
    assert [recording.places[frame.running].kind for frame in back(recording)[1:]] == order
    made = [place.kind for place in recording.places if place.kind != "leaf"]
    assert made == order[::-1]


@pytest.mark.parametrize("text", FORMULAS)
def test_the_gradients_are_those_of_the_engine(text):
    names, result = computed(text)
    recording = record(text)
    order, _ = plan([result.node])
    total = walks.newest_first(result, lambda node, grad: None)
    last = recording.frames[-1].total
    leaves = [place.name for place in recording.places if place.kind == "leaf"]
    nodes = order[::-1]
    assert [last[len(leaves) + k] for k in range(len(nodes))] == [total[n].tolist() for n in nodes]
    sent = [[part for _, _, part in frame.sent] for frame in back(recording)[1:]]
    assert sent == [[p.tolist() for _, p in walks.shares(n, total[n], False)] for n in order]
    result.backward()
    assert [last[k] for k in range(len(leaves))] == [names[name].grad.tolist() for name in leaves]


@pytest.mark.parametrize("text", FORMULAS)
def test_the_bytes_kept_are_those_of_the_nodes_that_have_not_run(text):
    _, result = computed(text)
    order, _ = plan([result.node])
    left = [kept(order[k:]) for k in range(len(order) + 1)]
    assert [frame.saved for frame in back(record(text))] == left and left[-1] == 0


@pytest.mark.parametrize("text", FORMULAS)
def test_at_the_end_the_leaves_own_all_gradients(text):
    names, result = computed(text)
    result.backward()
    tensors = [one for one in names.values() if isinstance(one, norch.Tensor) and one.is_leaf]
    leaves = {id(one): one for one in tensors}
    frames = back(record(text))
    assert frames[0].gradients == 4
    assert frames[-1].gradients == sum(leaf.grad.array.nbytes for leaf in leaves.values())


def test_gradients_on_their_way_are_counted_once():
    frames = record("x = 2; y = 3; z = 4; t = x * y; t + z").frames
    # One number goes to both sides of a sum; z has a copy of its own; then x and y have theirs.
    assert [frame.gradients for frame in frames] == [0, 0, 4, 8, 12]
    assert [frame.saved for frame in frames] == [8, 8, 8, 8, 0]


def test_a_frame_says_what_happened():
    says = [frame.says for frame in record(DIAMOND).frames]
    assert says[0] == "b = a * 1 is computed. Its node, Mul, keeps nothing."
    assert says[6] == "d runs. It has got 1 and sends 3 to b. b must wait for c."
    assert "sends 2 to b, which had 3 and now has 5." in says[7]
    assert says[8].endswith("All nodes have run. Gradients: a 5.")
    first = record("x = 3; y = x.exp() * x").frames[0]
    assert first.says.endswith("Its node, Exp, keeps t1 for the way back.")


def test_the_impatient_walk_is_as_wrong_as_the_lessons():
    _, result = computed(DIAMOND)
    visits = []
    total = walks.impatient(result, lambda node, grad: visits.append(grad.item()))
    recording = record_impatient(DIAMOND)
    ran = [frame for frame in recording.frames if frame.running is not None]
    assert [frame.total[frame.running] for frame in ran] == visits
    names = [place.name for place in recording.places]
    assert recording.frames[-1].total[0] == 7.0 and names[0] == "a"
    assert 7.0 in [grad.item() for place, grad in total.items() if isinstance(place, norch.Tensor)]
    assert recording.frames[-1].says.endswith("Gradients: a 7. That is wrong: right is a 5.")
    assert "That is right here." in record_impatient("x = 3; x * x").frames[-1].says


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to compute"),
        ("w * (x", "this is no formula: '(' was never closed"),
        ("3", "nothing in it has a name"),
        ("x", "no operation is in it"),
        ("import os", "more than a formula"),
        ("[i for i in x]", "more than a formula"),
        ("tanh(x)", "tanh is no method: write x.tanh() or norch.tanh(x)"),
        ("x.add_(1)", ".add_ is not for formulas"),
        ("x.__class__", ".__class__ is not for formulas"),
        ("a, b = 1, 2; a * b", "write name = value"),
        ("x.foo()", "has no attribute 'foo'"),
        ("x = [1, 2]; y = [1, 2, 3]; (x + y).sum()", "shapes (2,) and (3,) do not match"),
        ("x = 'a'; x * 2", "x is no tensor"),
        ("x = []; x.sum()", "x has 0 elements"),
        ("x @ w", "the result has shape (2, 2): end with one number, as by .sum()"),
        ("x = [1, 2]; x.shape[0]", "follows no leaf"),
        ("x = [[1, 2]]; x.unbind()[0][0] * 2", "several results"),
        ("+".join(["x"] * 14), "more than 12 operations"),
        ("x" * 201, "201 characters"),
        ("x = 2; y = x * x; y.backward(x); y * 2", ".backward is not for formulas"),
        ("norch.set_grad_enabled(False); x * x", ".set_grad_enabled is not for formulas"),
        ("norch.manual_seed(3); x * x", ".manual_seed is not for formulas"),
        ("x.dtype; x * x", "t1 is no tensor, no number and no shape"),
        ("x = [1, 2]; i = 1; x[i] * 2", "[i]: numbers, slices and None are what can stand there"),
        ("x[x.node] * 2", "[x.node]: numbers, slices and None"),
        ("norch.ops.gelu(x)", "norch is the library: write norch.name(x)"),
        ("norch.pi * x", "norch is the library: write norch.name(x)"),
        ("norch = 2; norch * x", "norch is the library: take another name"),
        ("(x * norch.ones(65)).sum()", "t1 has 65 elements; 1 to 64 can be shown"),
        ("x = [1, 2]; x[2:].sum()", "t1 has 0 elements; 1 to 64 can be shown"),
    ],
)
def test_a_bad_formula_is_told_in_a_sentence(text, words):
    with pytest.raises(FormulaError) as caught:
        record(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["  x = 3; x * x", "\tx = 3; x * x\n", "\n x = 3; x * x "])
def test_blanks_around_a_formula_mean_nothing(text):
    assert cut(text) == cut("x = 3; x * x")


def test_a_formula_is_recorded_where_nothing_else_is():
    with norch.no_grad():
        assert record("x = 3; x * x").frames[-1].says.endswith("Gradients: x 6.")


def test_a_walk_that_norch_refuses_is_told_in_a_sentence(monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError("no derivative")

    monkeypatch.setattr(norch.Tensor, "backward", refuse)
    with pytest.raises(FormulaError, match="norch cannot walk back through it: no derivative"):
        record("x = 3; x * x")


@pytest.mark.parametrize(
    ("formula", "words"), [("x = 1", "no operation is in it"), ("x * x", "IndexError: too far")]
)
def test_the_page_gets_a_sentence_whatever_goes_wrong(formula, words, monkeypatch):
    def fail(*_):
        raise IndexError("too far")

    monkeypatch.syspath_prepend(str(BOOK / "live" / "python"))
    live_walk = importlib.import_module("live_walk")
    monkeypatch.setattr("figures.stepper.Walk", fail)
    answer = json.loads(live_walk.record(json.dumps({"formula": formula}), print))
    assert words in answer["problem"]


@pytest.mark.parametrize("index", ["0", "-1", "0:1", "None", "..., 0", "1::1, None", ":2"])
def test_constants_and_slices_stand_in_an_index(index):
    assert record(f"x = [1, 2]; x[{index}].sum()").places[0].name == "x"


def test_the_impatient_walk_takes_single_numbers_and_names_its_edges():
    with pytest.raises(FormulaError, match="single numbers"):
        record_impatient("x = [1, 2]; x.sum()")
    (right,) = [
        frame.sent[0].slot
        for frame in record_impatient("x = 3; norch.div(norch.tensor(1), x)").frames
        if frame.sent
    ]
    assert right == 1  # a plain tensor has no edge


def test_names_without_values_get_some_that_fit():
    assert cut("w * x + b").leaves == {"w": 2.0, "x": 3.0, "b": 1.0}
    assert record("w * x + b").frames[-1].says.endswith("Gradients: w 3, x 2, b 1.")
    assert len(cut("(x @ w).sum()").leaves["w"]) == 2 and len(cut("x.sum()").leaves["x"]) == 3


def test_a_name_that_is_assigned_again_is_another_place():
    found = cut("y = 2; y = y * y; y = y * y; t1 = y + 1; t1 * t1 * 2")
    assert [one.name for one in found.operations] == ["y2", "y3", "t1", "t2", "out"]
    assert [one.text for one in found.operations][:2] == ["y * y", "y2 * y2"]


def test_a_name_in_its_own_first_assignment_is_a_leaf():
    found = cut("x = x + 1; x * x")
    assert found.leaves == {"x": 2.0}
    assert [one.text for one in found.operations] == ["x + 1", "x2 * x2"]
    assert record("y = y * 2").frames[-1].says.endswith("Gradients: y 2.")


@pytest.mark.parametrize("text", FORMULAS)
def test_the_drawing_has_a_sentence_for_each_frame_and_every_place(text):
    recording = record(text)
    walk = Walk(recording)
    for says, frame in zip(walk.says, recording.frames, strict=True):
        assert says.startswith(frame.says)
        assert says.endswith(f"{frame.saved} kept, {frame.gradients} in gradients.")
    assert all(f">{place.name}" in walk.svg() for place in recording.places)
    for frame in recording.frames:
        assert f"kept for the way back: {frame.saved}<" in walk.svg()


def test_a_leaf_that_is_0_is_in_the_pictures_and_in_the_walks():
    names, y = computed("w = 0; x = 3; m = w * x; y = m + x")
    names = {name: one for name, one in names.items() if isinstance(one, norch.Tensor)} | {"y": y}
    assert "m is Mul with edges to w and x" in graphs.record(y, names).alt
    assert "m runs and sends 3 to w and 0 to x" in graphs.steps(y, names).alt
    assert walks.newest_first(y, lambda node, grad: None)[names["w"]].item() == 3
