"""The properties of project 5: an optimizer of one's own, as complete as the library's, and fast.

`make project 5` hands `my_optimizer.py` to each function in turn. Both races are in float64, from
fixed numbers, and counted in steps; SGD runs the same ones, with the rate that suits it best.
"""

import copy
import itertools
import math
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

import numpy as np

from norch_autograd import Tensor, float64, no_grad, tensor
from norch_course.projects import NotYet, claim
from norch_nn import Linear, Parameter, Sequential, Tanh, optim
from norch_nn.functional import mse_loss
from norch_nn.optim import SGD, Optimizer

Make = Callable[[list[Parameter]], Optimizer]
Problem = tuple[list[Parameter], Callable[[], Tensor]]
GOAL = 0.01  # the loss that ends a race; they begin at 16.39 and 0.60
PATIENCE = 2500  # steps
SGD_RATE = 0.19  # beyond 0.2 it leaves the valley, and the network does not settle from 0.3 on
MOST_KEPT = 2  # numbers for each number of a parameter
SHARED = {"optimizer.py", "hooks.py"}  # what every optimizer derives from
LIBRARY = {str(p): p.stem for p in Path(optim.__file__).parent.glob("*.py") if p.name not in SHARED}


@cache
def mine(file: Path) -> type[Optimizer]:
    """Return the learner's class."""
    return runpy.run_path(str(file))["MyOptimizer"]


def as_tensor(array: np.ndarray) -> Tensor:
    """Return the same numbers in float64."""
    return tensor(array.tolist(), dtype=float64)


def weights(*shapes: tuple[int, ...]) -> list[Parameter]:
    """Return parameters of fixed numbers."""
    draw = np.random.default_rng(5)
    return [Parameter(as_tensor(draw.normal(size=shape))) for shape in shapes]


@contextmanager
def by_itself() -> Iterator[None]:
    """Refuse steps that the library takes, whole or in part: by an optimizer, or by its kernel."""
    seen = set()

    def look(frame: FrameType, event: str, called: object) -> None:
        if event == "call" and frame.f_code.co_filename in LIBRARY:
            seen.add(f"norch_nn.optim.{LIBRARY[frame.f_code.co_filename]}")
        elif event == "c_call" and called.__name__.endswith("_step"):
            seen.add(called.__name__)

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)
        if seen:
            advice = "with operations of tensors, and no optimizer of the library behind it."
            raise NotYet(f"{min(seen)} took part", f"take the step yourself: {advice}")


def take(optimizer: Optimizer, params: list[Parameter], steps: range) -> None:
    """Take steps along gradients that follow from the weights and the number of the step."""
    for step in steps:
        for p in params:
            p.grad = (p.detach() * 2).add_(math.sin(step))
        with by_itself():
            optimizer.step()


def numbers(params: list[Parameter]) -> list:
    """Return the values of all parameters."""
    return [p.tolist() for p in params]


@claim("right")
def right(file: Path) -> str:
    """It moves parameters in place, group by group, each with the options of its group."""
    if not issubclass(mine(file), Optimizer):
        raise NotYet("no Optimizer", "derive it: `class MyOptimizer(Optimizer)`.")
    if mine(file).__base__ is not Optimizer:
        raise NotYet(
            f"derived from {mine(file).__base__.__name__}", "derive it from Optimizer itself."
        )
    still, slow, fast = weights((3,), (2, 3), (2, 3))
    with no_grad():
        fast.copy_(slow)
    before = numbers([still, slow])
    groups = [{"params": [still], "lr": 0.0}, {"params": [slow], "lr": 0.01}, {"params": [fast]}]
    optimizer = mine(file)(groups, lr=0.03)
    take(optimizer, [still, slow, fast], range(1))
    if still.tolist() != before[0]:
        raise NotYet("a group with lr 0 moved", "read the rate from `group`, not from `self`.")
    start = np.array(before[1])
    moved = [np.array(p.tolist()) - start for p in (slow, fast)]
    if not moved[0].any():
        raise NotYet("nothing moved", "change the parameters in place: p.sub_(...), in no_grad().")
    if not np.allclose(3 * moved[0], moved[1]):
        advice = "the first step is in proportion to the rate of the parameter's own group."
        raise NotYet("a group with three times the rate moved otherwise", advice)
    (turned,), (plain,) = weights((4, 3)), weights((4, 3))
    turned = Parameter(as_tensor(np.array(turned.tolist()).T).T)
    for p in (turned, plain):
        take(mine(file)([p]), [p], range(5))
    if not np.allclose(turned.tolist(), plain.tolist()):
        raise NotYet("a transposed weight moved otherwise", "go by elements, not by memory.")
    return "3 groups, a transposed weight"


@claim("left alone")
def left_alone(file: Path) -> str:
    """A parameter without a gradient, and everybody's gradients."""
    used, unused = weights((3,), (2,))
    before = unused.tolist()
    optimizer = mine(file)([used, unused])
    if optimizer.state:
        advice = "a parameter may never get a gradient: remember something at its first step."
        raise NotYet("something is remembered before the first step", advice)
    for step in range(3):
        used.grad = as_tensor(np.full(3, step - 1.0))
        given = used.grad.tolist()
        optimizer.step()
        if used.grad.tolist() != given:
            raise NotYet("a step changed a gradient", "work on a copy: others read it too.")
    if unused.tolist() != before or unused in optimizer.state:
        advice = "`update` gets those with a gradient: leave the others, and their state, alone."
        raise NotYet("a parameter without a gradient was moved, or is remembered", advice)
    return "no gradient, no step, no state"


@claim("goes on")
def goes_on(file: Path) -> str:
    """A run that is stopped, saved and loaded ends where one ends that was not stopped."""
    for stop in (1, 3):
        whole, first = weights((3,), (2, 2)), weights((3,), (2, 2))
        take(mine(file)(whole), whole, range(6))
        begun = mine(file)(first)
        take(begun, first, range(stop))
        saved = copy.deepcopy(begun.state_dict())
        second = [Parameter(p.detach().clone()) for p in first]
        fresh = mine(file)(second)
        fresh.load_state_dict(saved)
        take(begun, first, range(stop, 6))  # whoever loaded must not feel this
        take(fresh, second, range(stop, 6))
        if not numbers(whole) == numbers(first) == numbers(second):
            advice = "all that a step reads belongs in `self.state[p]` or the group, counts too."
            raise NotYet(f"loaded after step {stop}, it goes another way", advice)
    return "saved and loaded after 1 and 3 of 6 steps: equal to the last bit"


@claim("numbers kept")
def kept(file: Path) -> str:
    """What is remembered for each number of a parameter, single numbers left out."""
    (p,) = weights((5, 4))
    optimizer = mine(file)([p])
    take(optimizer, [p], range(12))
    held = [*vars(optimizer).values(), *optimizer.state[p].values()]
    held += itertools.chain.from_iterable(one for one in held if isinstance(one, list | tuple))
    count = sum(one.numel() for one in held if isinstance(one, Tensor) and one is not p)
    if count > MOST_KEPT * p.numel() + 4:
        raise NotYet(f"{count / p.numel():g}", f"at most {MOST_KEPT}, as Adam: they cost memory.")
    return f"{count / p.numel():g}"


def valley() -> Problem:
    """A quadratic in 20 dimensions, a thousand times as steep in one as in another, turned."""
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(20, 20)))[0]
    matrix = as_tensor(turn * np.geomspace(0.01, 10, 20) @ turn.T)
    x = Parameter(as_tensor(turn.sum(1)))
    return [x], lambda: (x @ (matrix @ x)) / 2


def network() -> Problem:
    """A small network learns sin(4 a) b from 64 points."""
    draw = np.random.default_rng(7)
    points = draw.uniform(-1, 1, (64, 2))
    x, y = as_tensor(points), as_tensor(np.sin(4 * points[:, :1]) * points[:, 1:])
    model = Sequential(Linear(2, 16), Tanh(), Linear(16, 16), Tanh(), Linear(16, 1)).double()
    params = list(model.parameters())
    with no_grad():
        for p in params:
            p.copy_(as_tensor(draw.uniform(-1, 1, tuple(p.shape)) / p.shape[-1] ** 0.5))
    return params, lambda: mse_loss(model(x), y)


def steps(problem: Callable[[], Problem], make: Make, most: int = PATIENCE) -> int | None:
    """Return how many steps bring the loss to the goal; None if `most` do not."""
    params, loss_of = problem()
    optimizer = make(params)
    for count in range(most + 1):
        loss = loss_of()
        if loss.item() <= GOAL:
            return count
        if not loss.item() < 1e6:
            return None
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return None


def race(file: Path, problem: Callable[[], Problem], part: int, advice: str) -> str:
    """Compare with SGD, which may have `part` times as many steps."""
    sgd = steps(problem, lambda params: SGD(params, lr=SGD_RATE))
    with by_itself():
        found = steps(problem, mine(file))
    if sgd is None:
        raise RuntimeError("SGD never reached the goal, which it does with every right library")
    if found is None or part * found > sgd:
        words = "never there" if found is None else f"{found} steps"
        raise NotYet(f"{words}, SGD {sgd}", f"at most {sgd // part}: {advice}")
    return f"{found} steps, SGD {sgd}"


@claim("valley")
def through_the_valley(file: Path) -> str:
    """Steep across, flat along; no axis lies along it."""
    return race(file, valley, 2, "what points the same way in every step should add up.")


@claim("network")
def trains(file: Path) -> str:
    """The same defaults must do for a loss that is no quadratic."""
    return race(file, network, 4, "the defaults must suit this loss and the valley's.")
