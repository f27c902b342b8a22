"""Chapter 5: a small loss of two numbers, and the walk of an optimizer down into it.

A line is fitted to four points; its slope and its intercept are the two parameters. norch computes
the loss, its lowest place and every walk, in 64 bits. figures/valley.py draws them.
"""

from collections.abc import Callable
from typing import NamedTuple

import norch_autograd as norch
import norch_nn as nn
from norch_autograd import Tensor
from norch_nn.optim import Optimizer

POINTS = ((0.0, 1.2), (1.0, 2.6), (2.0, 5.4), (3.0, 6.8))  # where, and how high
START = (-1.0, 5.5)  # slope and intercept
STEPS = 60
Place = tuple[float, float]


class Valley(NamedTuple):
    """The lowest place, the loss there, and a matrix: where it takes a circle of radius 1, the
    loss is higher by 1; it is higher by r * r where it takes one of radius r. All are rounded.
    """

    lowest: Place
    least: float
    circle: list[list[float]]


def loss(place: Tensor) -> Tensor:
    """Return the mean squared error of the line with this slope and intercept."""
    x, y = norch.tensor(POINTS, dtype=norch.float64).T
    slope, intercept = place
    return ((slope * x + intercept - y) ** 2).mean()


def walk(
    make: Callable[[list[Tensor]], Optimizer], start: Place = START, steps: int = STEPS
) -> list[Place]:
    """Return the places that an optimizer passes, the start first."""
    place = nn.Parameter(norch.tensor(start, dtype=norch.float64))
    optimizer = make([place])
    path = [tuple(place.tolist())]
    for _ in range(steps):
        optimizer.zero_grad()
        loss(place).backward()
        optimizer.step()
        path.append(tuple(place.tolist()))
    return path


def valley() -> Valley:
    """Find the lowest place, and how steep it is around it in every direction."""
    x, y = norch.tensor(POINTS, dtype=norch.float64).T
    table = norch.stack([x, norch.ones_like(x)], dim=1)  # (4, 2): the loss is |table @ p - y|^2 / 4
    steepness = table.T @ table / len(POINTS)
    place = norch.linalg.solve(steepness, table.T @ y / len(POINTS))
    root = norch.linalg.cholesky(steepness)
    circle = norch.linalg.inv(root.T)
    rounded = [[round(part, 6) for part in row] for row in circle.tolist()]
    slope, intercept = (round(one, 6) for one in place.tolist())
    return Valley((slope, intercept), round(loss(place).item(), 6), rounded)
