"""Rung 6: a layer and a loss. Whether weights are (inputs, outputs) or turned is the learner's."""

import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from norch_course.capstone.confine import guarded, name_of, telling
from norch_course.capstone.graphs import agree, differences, drawn, numbers_of, tensor_of
from norch_course.capstone.plain import Plain
from norch_course.projects import NotYet

INPUTS, OUTPUTS, ROWS = 4, 3, 5
WIDE = 60  # inputs of the layer whose first values are looked at
SPREADS = (0.05, 10.0)  # of the squares of first weights, times inputs; He's are 2, PyTorch's 1/3


def check(file: Path) -> str:
    """The layer is x W + b and learns both; the loss is the mean of -log p(label)."""
    make = name_of(file, "Linear", "Linear(inputs, outputs)")
    weight, bias = affine(file, guarded(make, INPUTS, OUTPUTS))
    first_values(file, make)
    loss_of = name_of(file, "cross_entropy", "cross_entropy(scores, labels)")
    random = Random(6)
    scores = drawn(random, (ROWS, OUTPUTS))
    losses(file, loss_of, scores, [0, 2, 1, 1, 0])
    losses(file, loss_of, Plain((2, 2), [0, 200, 1000, -1000]), [0, 0])
    losses(file, loss_of, Plain((2, 2), [300, 300, -1000, 300]), [1, 0])
    return f"weights {weight}, bias {bias}; scores up to 1000"


def affine(file: Path, layer: Any) -> tuple[tuple[int, ...], ...]:
    """Find what the layer computes from its own answers; return the shapes of its parameters."""
    make = tensor_of(file)

    def outputs(rows: Plain) -> Plain:
        with telling("Linear(4, 3)(x)"):
            result = guarded(layer, guarded(make, rows.tolist()))
        found = numbers_of(result, "Linear(4, 3)(x)")
        shape = (rows.shape[0], OUTPUTS)
        if found.shape != shape:
            raise NotYet(f"Linear(4, 3) of {rows.shape} is {found.shape}", f"it has to be {shape}.")
        return found

    bias = outputs(Plain((1, INPUTS), [0.0] * INPUTS))
    identity = [float(i == j) for i in range(INPUTS) for j in range(INPUTS)]
    weight = outputs(Plain((INPUTS, INPUTS), identity)) - bias
    x, factors = drawn(Random(7), (ROWS, INPUTS)), drawn(Random(8), (ROWS, OUTPUTS))
    agree("Linear(4, 3)(x)", outputs(x), x @ weight + bias, "x W + b, the same W and b each row.")
    result = guarded(lambda: (layer(make(x.tolist())) * make(factors.tolist())).sum())
    guarded(result.backward)
    turned = Plain(
        (INPUTS, ROWS), [x.flat[r * INPUTS + i] for i in range(INPUTS) for r in range(ROWS)]
    )
    ones = Plain((1, ROWS), [1.0] * ROWS)
    return parameters(layer, turned @ factors, ones @ factors)


def parameters(layer: Any, by_weight: Plain, by_bias: Plain) -> tuple[tuple[int, ...], ...]:
    """Compare the gradients of the layer's parameters, by their shapes; return these."""
    columns = [by_weight.flat[j::OUTPUTS] for j in range(OUTPUTS)]
    right = {
        (INPUTS, OUTPUTS): by_weight,
        (OUTPUTS, INPUTS): Plain((OUTPUTS, INPUTS), [one for column in columns for one in column]),
        (OUTPUTS,): Plain((OUTPUTS,), by_bias.flat),
        (1, OUTPUTS): by_bias,
    }
    found = list(guarded(layer.parameters))
    shapes = [numbers_of(one, "a parameter").shape for one in found]
    if sorted(map(math.prod, shapes)) != [OUTPUTS, INPUTS * OUTPUTS]:
        words = f"parameters() of Linear(4, 3) have shapes {shapes}"
        raise NotYet(words, "a list of two: the weights, and a bias for each output.")
    for one, shape in zip(found, shapes, strict=True):
        if one.grad is None:
            raise NotYet(f"the parameter {shape} got no gradient", "it has to ask for one.")
        shown = f"the gradient of the parameter {shape}"
        if shape not in right:
            raise NotYet(f"a parameter has shape {shape}", f"one of {list(right)}.")
        agree(shown, numbers_of(one.grad, shown), right[shape], "what does it do in each row?")
    return tuple(sorted(shapes, key=math.prod, reverse=True))


def first_values(file: Path, make: Callable[..., Any]) -> None:
    """Units that begin alike stay alike; weights too small or too large do not learn."""
    found = [max(_parameters_of(make), key=lambda one: len(one.flat)) for _ in range(2)]
    if len(set(found[0].flat)) < len(found[0].flat) // 2:
        raise NotYet("many first weights are equal", "units that begin alike stay alike.")
    if found[0].flat == found[1].flat:
        raise NotYet("two layers begin with the same weights", "draw others for each.")
    spread = sum(one * one for one in found[0].flat) / len(found[0].flat) * WIDE
    if not SPREADS[0] <= spread <= SPREADS[1]:
        advice = "a layer's outputs should be about as large as its inputs: how many are added up?"
        raise NotYet(f"first weights: mean square {spread / WIDE:.2g} for {WIDE} inputs", advice)


def _parameters_of(make: Callable[..., Any]) -> list[Plain]:
    return [numbers_of(one, "a parameter") for one in guarded(make, WIDE, 20).parameters()]


def mean_loss(scores: Plain, labels: list[int]) -> Plain:
    """Return the right loss, as one number."""
    total = 0.0
    classes = scores.shape[1]
    for row, label in enumerate(labels):
        line = scores.flat[row * classes : (row + 1) * classes]
        most = max(line)
        total += most + math.log(sum(math.exp(one - most) for one in line)) - line[label]
    return Plain((), [total / len(labels)])


def losses(file: Path, loss_of: Callable[..., Any], scores: Plain, labels: list[int]) -> None:
    """Compare the loss and its gradient, which somebody asks for three times over."""
    given = guarded(tensor_of(file), scores.tolist(), True)
    shown = f"cross_entropy({[[round(x, 2) for x in row] for row in scores.tolist()]}, {labels})"
    shown = shown if len(shown) < 70 else f"cross_entropy of {scores.shape} scores"
    with telling(shown):
        loss = guarded(loss_of, given, labels)
    advice = "the mean over rows of log(sum(exp(scores))) - score of the label; exp(1000) is inf."
    agree(shown, numbers_of(loss, shown), mean_loss(scores, labels), advice)
    guarded(lambda: (loss * 3).backward())
    right = differences(lambda plain: mean_loss(plain, labels) * 3, [scores])[0]
    shown = f"the gradient of 3 * {shown}"
    if given.grad is None:
        raise NotYet(f"{shown} is None", "the loss is a tensor like any other.")
    agree(shown, numbers_of(given.grad, shown), right, "all that comes from above counts, too.")
