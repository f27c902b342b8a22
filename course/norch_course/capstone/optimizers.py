"""Rung 7: an optimizer, whichever. It moves parameters in place and keeps what is each one's own.

Everything is run with its defaults. Races are counted in steps.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from norch_course.capstone.confine import guarded, name_of
from norch_course.capstone.graphs import agree, numbers_of, tensor_of
from norch_course.capstone.memory import leaves_nothing
from norch_course.projects import NotYet

PATIENCE = 3000  # steps: Adam with its usual rate of 0.001 goes 1 in a thousand
GOAL = 0.01  # of the first loss
START, TARGET = [1.0, -1.0, 0.5], [0.2, 0.1, -0.3]


class Bowl:
    """A parameter, how far it is from its target, and an optimizer for it and others."""

    def __init__(self, file: Path, scale: float = 1.0) -> None:
        make = tensor_of(file)
        self.scale, self.target = scale, guarded(make, TARGET)
        self.parameter = guarded(make, START, True)

    def loss(self) -> Any:
        """Return the square of the distance."""
        apart = self.parameter - self.target
        return (apart * apart).sum() * self.scale

    @property
    def values(self) -> Any:
        """The numbers of the parameter."""
        return numbers_of(self.parameter, "a parameter")


def take(optimizer: Any, bowls: list[Bowl], steps: int = 1) -> None:
    """Take steps down several bowls at once."""
    for _ in range(steps):
        optimizer.zero_grad()
        for bowl in bowls:
            bowl.loss().backward()
        optimizer.step()


def check(file: Path) -> str:
    """It goes down, in place, parameter by parameter, and leaves nothing behind."""
    make = name_of(file, "Optimizer", "Optimizer(parameters)")
    in_place(file, make)
    forgets(file, make)
    apart(file, make)
    advice = "is the old value still in the graph of the new one?"
    leaves_nothing("a step of training", training_step(file, make), advice)
    return f"down to {GOAL:.0%} of the loss in {down(file, make)} steps"


def training_step(file: Path, make: Callable[..., Any]) -> Callable[[], None]:
    """Return a function that takes one step with all that has been written so far."""
    layer = guarded(name_of(file, "Linear", "Linear(inputs, outputs)"), 4, 3)
    loss_of = name_of(file, "cross_entropy", "cross_entropy(scores, labels)")
    x = guarded(tensor_of(file), [[1.0, -1.0, 0.5, 0.0], [0.0, 2.0, -0.5, 1.0]])
    optimizer = guarded(make, layer.parameters())

    def step() -> None:
        optimizer.zero_grad()
        loss_of(layer(x).relu(), [2, 0]).backward()
        optimizer.step()

    return step


def in_place(file: Path, make: Callable[..., Any]) -> None:
    """The tensor itself moves, its gradient stays; one without a gradient stays too."""
    used, unused = Bowl(file), Bowl(file)
    optimizer = guarded(make, [used.parameter, unused.parameter])
    guarded(optimizer.step)  # before any gradient
    before = used.values
    agree("a parameter without a gradient", unused.values, before, "leave it alone.")
    guarded(lambda: used.loss().backward())
    gradient = numbers_of(used.parameter.grad, "a gradient")
    guarded(optimizer.step)
    if used.values.flat == before.flat:
        advice = "the tensor that the layer holds has to move, not a new one."
        raise NotYet("a step moved nothing", advice)
    agree("a parameter without a gradient", unused.values, before, "leave it alone.")
    shown = "the gradient after a step"
    agree(shown, numbers_of(used.parameter.grad, shown), gradient, "a step only reads it.")


def forgets(file: Path, make: Callable[..., Any]) -> None:
    """After `zero_grad` a pass gives its own gradient alone."""
    bowl = Bowl(file)
    optimizer = guarded(make, [bowl.parameter])
    guarded(lambda: bowl.loss().backward())
    once = numbers_of(bowl.parameter.grad, "a gradient")
    guarded(optimizer.zero_grad)
    guarded(lambda: bowl.loss().backward())
    shown = "the gradient of a pass after zero_grad()"
    agree(shown, numbers_of(bowl.parameter.grad, shown), once, "begin again from nothing.")


def apart(file: Path, make: Callable[..., Any]) -> None:
    """Two parameters go together as each goes alone."""
    together = [Bowl(file), Bowl(file, -0.5)]
    both = guarded(make, [bowl.parameter for bowl in together])
    guarded(take, both, together, 5)
    for bowl, scale in zip(together, (1.0, -0.5), strict=True):
        alone = Bowl(file, scale)
        guarded(take, guarded(make, [alone.parameter]), [alone], 5)
        shown = "a parameter of two after 5 steps"
        agree(shown, bowl.values, alone.values, "what is remembered belongs to one parameter.")


def down(file: Path, make: Callable[..., Any]) -> int:
    """Count the steps to the goal."""
    bowl = Bowl(file)
    optimizer = guarded(make, [bowl.parameter])
    first = numbers_of(guarded(bowl.loss), "a loss").flat[0]
    for count in range(1, PATIENCE + 1):
        guarded(take, optimizer, [bowl])
        loss = numbers_of(guarded(bowl.loss), "a loss").flat[0]
        if loss <= GOAL * first:
            return count
    advice = f"a sum of squares should fall to {GOAL:.0%}: which way, and how far?"
    raise NotYet(f"loss {loss:.3g} after {PATIENCE} steps, {first:.3g} at first", advice)
