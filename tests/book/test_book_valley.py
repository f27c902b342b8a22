"""The loss valley of chapter 5: its lines beside norch's loss, its walks beside norch.optim's.

Node runs the page's arithmetic. How the valley behaves in a browser is in test_book_demos.py.
"""

import json
import math

import pytest
from figures import valley as pictured
from figures.valley import LEVELS, LossValley
from lessons import descent
from test_book_arithmetic import in_javascript as in_script, needs_node

import norch_autograd as norch
import norch_nn as nn

FAR = 1e9  # where the page's walks end
RATES = [0.001, 0.02, 0.1, 0.2, 0.237, 0.25, 1.0]
STARTS = [descent.START, (5.0, -3.0), (1.96, 1.06)]
CHOICES = [("SGD", rate, 0.0) for rate in RATES]
CHOICES += [("SGD with momentum", rate, mu) for rate in RATES[::2] for mu in (0.5, 0.95)]
CHOICES += [("Adam", rate, 0.0) for rate in RATES]
DATA = LossValley(descent.valley(), {}).data()


def in_javascript(expression):
    """Evaluate an expression that sees the valley's functions as `x` and its data as `data`."""
    return in_script(f"((data) => {expression})({json.dumps(DATA)})", "loss_valley.js")


def optimizer(name, rate, momentum):
    """Return what makes the optimizer of norch."""
    if name == "Adam":
        return lambda place: nn.optim.Adam(place, lr=rate)
    return lambda place: nn.optim.SGD(place, lr=rate, momentum=momentum)


@needs_node
def test_the_walks_are_those_of_norch():
    trials = [
        {"optimizer": name, "rate": rate, "momentum": momentum, "start": start}
        for name, rate, momentum in CHOICES
        for start in STARTS
    ]
    found = in_javascript(
        f"{json.dumps(trials)}.map(({{start, ...choice}}) => "
        f"x.walk(data.points, start, {descent.STEPS}, choice))"
    )
    for trial, path in zip(trials, found, strict=True):
        make = optimizer(trial["optimizer"], trial["rate"], trial["momentum"])
        ours = descent.walk(make, trial["start"])
        assert len(path) == len(ours) or max(map(abs, path[-1])) >= FAR, trial
        for one, other in zip(path, ours, strict=False):
            assert one == pytest.approx(other, rel=1e-7, abs=1e-7), trial


@needs_node
@pytest.mark.parametrize("place", STARTS)
def test_the_loss_and_its_gradient_are_those_of_norch(place):
    parameter = nn.Parameter(norch.tensor(place, dtype=norch.float64))
    loss = descent.loss(parameter)
    loss.backward()
    found = in_javascript(f"[x.loss(data.points, {[*place]}), x.gradient(data.points, {[*place]})]")
    assert found[0] == pytest.approx(loss.item(), rel=1e-12)
    assert found[1] == pytest.approx(parameter.grad.tolist(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_a_line_of_the_picture_is_a_line_of_equal_loss(level):
    valley = descent.valley()
    for turn in range(8):
        x, y = (level**0.5 * part(turn * math.pi / 4) for part in (math.cos, math.sin))
        rows = zip(valley.lowest, valley.circle, strict=True)
        place = [low + a * x + b * y for low, (a, b) in rows]
        found = descent.loss(norch.tensor(place, dtype=norch.float64)).item()
        assert found - valley.least == pytest.approx(level, rel=1e-4)


@needs_node
def test_the_page_draws_where_the_drawing_for_paper_does():
    places = [descent.START, (0.0, 0.0), (-3.0, 9.0), (6.5, 1.0), (1.0, 2.0)]
    found = in_javascript(f"{json.dumps(places)}.map((place) => x.at(data, place))")
    drawn = [pictured.at(place) for place in places]
    for place, ours in zip(found, drawn, strict=True):
        assert tuple(place) == pytest.approx(ours)
    for few in (drawn, drawn[:3], drawn[4:], [(0, 0), (-1, 5)], [(420, 280), (1, 281), (1, 1)]):
        kept = in_javascript(f"x.seen({json.dumps(few)})")
        assert [tuple(place) for place in kept] == pictured.seen(few)
    rings = in_javascript("x.rings(data)")
    for ring, ours in zip(rings, pictured.rings(descent.valley()), strict=True):
        assert tuple(ring) == pytest.approx(ours)


def test_nothing_is_lower_than_the_lowest_place():
    valley = descent.valley()
    for step in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
        place = [low + part for low, part in zip(valley.lowest, step, strict=True)]
        assert descent.loss(norch.tensor(place, dtype=norch.float64)).item() > valley.least


@needs_node
@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (("SGD", 0.01, 0), "It is not there after 60 steps: the loss is 4.14, the least is 0.098."),
        (
            ("SGD", 0.1, 0),
            "It converges: after 36 steps 99 % of the fall is done. The loss goes from 11",
        ),
        (("SGD", 0.23, 0), "It swings: "),
        (("SGD", 0.25, 0), "It diverges: the loss was 11.1, and is "),
        (("SGD", 1.0, 0), "It diverges"),
        (("Adam", 0.3, 0), "It converges: after "),
    ],
)
def test_it_says_what_came_of_a_walk(choice, words):
    name, rate, momentum = choice
    given = json.dumps({"optimizer": name, "rate": rate, "momentum": momentum})
    path = f"x.walk(data.points, data.start, data.steps, {given})"
    assert words in in_javascript(f"x.told(data, {path})")


@needs_node
def test_who_begins_at_the_lowest_place_is_there():
    given = json.dumps({"optimizer": "SGD", "rate": 0.1, "momentum": 0})
    path = f"x.walk(data.points, data.lowest, data.steps, {given})"
    assert in_javascript(f"x.outcome(data, {path})")["diverges"] is False


def test_without_the_script_three_walks_are_told():
    path = descent.walk(optimizer("SGD", 0.1, 0.0))
    drawn = LossValley(descent.valley(), {"right": path})
    assert repr(drawn).startswith("right: the loss is ")
    assert "after 60 steps" in drawn.figure().svg()
