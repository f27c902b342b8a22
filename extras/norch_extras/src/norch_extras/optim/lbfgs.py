"""LBFGS: Newton's step, with the curvature estimated from the last gradients.

It evaluates the loss several times within one step, so `step` needs a closure; all parameters are
one vector here. The length of a step is found by a line search for the strong Wolfe conditions: the
value must have fallen by enough, and the slope must have flattened. First a bracket around such a
place is sought, then it is narrowed (Nocedal and Wright, 2006, section 3.5).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from norch_autograd import Tensor, cat, enable_grad, no_grad, zeros
from norch_autograd.graph.operands import in_own_name
from norch_nn.optim.optimizer import Group, Optimizer, options

FALL = 1e-4  # the share of the fall that the first slope promises
FLAT = 0.9  # the share of the first slope that may be left
SHORT = 1e-9  # a bracket not worth another step


class Point(NamedTuple):
    """A place on the line: how far, the value there, its gradient, its slope along the line."""

    t: float
    value: float
    grad: Tensor
    slope: float


Evaluate = Callable[[float], Point]


def _strong_wolfe(
    evaluate: Evaluate, start: Point, t: float, longest: float, most: int
) -> tuple[Point, int]:
    """Search along the line in `most` steps, `longest` is the direction's; the place, how many were
    tried.
    """
    bracket, tried, found = _bracket(evaluate, start, t, most)
    if found:
        return bracket[0], tried
    close = tried - 1  # so many steps were taken
    hesitated = False
    while close < most and abs(bracket[1].t - bracket[0].t) * longest >= SHORT:
        t, hesitated = _inside(bracket, hesitated)
        new = evaluate(t)
        tried, close = tried + 1, close + 1
        low, high = _order(bracket)
        if _too_high(new, start) or new.value >= bracket[low].value:
            bracket[high] = new
            continue
        if _flat(new, start):
            return new, tried
        if new.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
    return bracket[_order(bracket)[0]], tried


def _bracket(
    evaluate: Evaluate, start: Point, t: float, most: int
) -> tuple[list[Point], int, bool]:
    """Bracket a good place of the line search, or find one; how many were tried; which."""
    before, new = start, evaluate(t)
    for step in range(most):
        if _too_high(new, start) or (step > 1 and new.value >= before.value):
            return [before, new], step + 1, False
        if _flat(new, start):
            return [new], step + 1, True
        if new.slope >= 0:
            return [before, new], step + 1, False
        bounds = (new.t + 0.01 * (new.t - before.t), new.t * 10)
        before, new = new, evaluate(_valley(before, new, bounds))
    return [start, new], most + 1, False


def _number_of(loss: Any) -> float:
    """Return what a closure gave, whose gradient the closure itself has asked for."""
    return float(loss.detach() if isinstance(loss, Tensor) else loss)


def _too_high(point: Point, start: Point) -> bool:
    """Whether the loss at a place of the line fell by less than the slope promised."""
    return point.value > start.value + FALL * point.t * start.slope


def _flat(point: Point, start: Point) -> bool:
    """Whether the slope at a place of the line is small enough."""
    return abs(point.slope) <= -FLAT * start.slope


def _order(bracket: list[Point]) -> tuple[int, int]:
    """Return the numbers of the lower and of the higher end of the bracket."""
    return (0, 1) if bracket[0].value <= bracket[1].value else (1, 0)


def _inside(bracket: list[Point], hesitated: bool) -> tuple[float, bool]:
    """Return a place in the bracket; twice too near an end moves it away from there."""
    a, b = bracket
    left, right = min(a.t, b.t), max(a.t, b.t)
    t, margin = _valley(a, b, (left, right)), 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if hesitated or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True


def _valley(a: Point, b: Point, bounds: tuple[float, float]) -> float:
    """Return where the cubic through both values and slopes is lowest, within the bounds."""
    low, high = bounds
    if a.t > b.t:
        a, b = b, a
    first = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = first**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    root = math.sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + root - first) / (b.slope - a.slope + 2 * root))
    return min(max(t, low), high)


class LBFGS(Optimizer):
    """Go along -H·g, with H the inverse curvature that `history_size` steps suggest.

    Up to `max_iter` such moves a step, until the gradient is below `tolerance_grad` or a move below
    `tolerance_change`. `line_search_fn` None moves by `lr`, "strong_wolfe" searches (Liu and
    Nocedal, 1989).

    >>> w = norch.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item(), bool(w.abs().max() < 1e-4)
    (13.0, True)
    """

    elementwise = False

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        """Take parameters, one group only, and the options."""
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, options(locals()))
        if len(self.param_groups) != 1:
            raise ValueError("[LBFGS] all parameters are one vector: one group is expected")

    def check_options(self, group: Group) -> None:
        """Raise for an option that LBFGS does not know."""
        super().check_options(group)
        size = group["history_size"]
        if not isinstance(size, int) or size < 1:
            raise TypeError(f"[LBFGS] history_size must be a whole number above 0, not {size!r}")
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            name = group["line_search_fn"]
            raise RuntimeError(f"[LBFGS] line_search_fn is None or 'strong_wolfe', not {name!r}")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move up to `max_iter` times; `closure` computes the loss anew, with its gradients."""
        if closure is None:
            raise TypeError("[LBFGS] step needs a closure that computes the loss and its gradients")
        with enable_grad():
            first = closure()
        group, state = self.param_groups[0], self.state[self.param_groups[0]["params"][0]]
        with no_grad():
            Descent(self, group, state, closure).run(_number_of(first))
        return first

    def restore(self, entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
        """Copy what was remembered: vectors of all parameters, and lists of them."""
        return copy.deepcopy(entry)

    def update(self, params: list[Tensor], group: Group) -> None:
        """LBFGS does not step parameter by parameter."""
        raise RuntimeError("[LBFGS] call step(closure)")


class Descent:
    """One call of `step`: the vector, what is remembered, and the moves."""

    def __init__(
        self, optimizer: LBFGS, group: Group, state: dict[str, Any], closure: Callable[[], Any]
    ) -> None:
        """Look at the parameters and at what earlier steps left in `state`."""
        self.params: list[Tensor] = group["params"]
        self.group = group
        self.closure = closure
        self.state = state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

    def run(self, loss: float) -> None:
        """Move the parameters until the loss is good enough, or has cost enough."""
        group, state = self.group, self.state
        grad, evaluations = self.gradient(), 1
        state["func_evals"] += 1
        if self.is_small(grad):
            return
        for move in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self.aim(grad)
            d, before = state["d"], loss
            state["prev_flat_grad"], state["prev_loss"] = grad.clone(), loss
            t = float(group["lr"])
            if state["n_iter"] == 1:
                t *= min(1.0, 1.0 / float(grad.abs().sum()))
            state["t"] = t
            slope = float(grad.dot(d))
            if slope > -group["tolerance_change"]:
                return
            last = move == group["max_iter"]
            most = group["max_eval"] - evaluations
            point, tried = self.move(Point(0.0, loss, grad, slope), t, d, last, most)
            loss, grad, state["t"] = point.value, point.grad, point.t
            evaluations += tried
            state["func_evals"] += tried
            if last or evaluations >= group["max_eval"] or self.is_small(grad):
                return
            short = float((d * point.t).abs().max()) <= group["tolerance_change"]
            if short or abs(loss - before) < group["tolerance_change"]:
                return

    def is_small(self, grad: Tensor) -> bool:
        """Whether the gradient is as good as none."""
        return float(grad.abs().max()) <= float(self.group["tolerance_grad"])

    def gradient(self) -> Tensor:
        """All gradients as one vector; zeros where there is none."""
        rows = [p.new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1)
                for p in self.params]  # fmt: skip
        return cat([row.detach() for row in rows]) if rows else zeros(0)

    def aim(self, grad: Tensor) -> None:
        """Choose the direction: -H·g by two loops over the steps remembered."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(d=-grad, old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        self.remember(grad - state["prev_flat_grad"], state["d"] * state["t"])
        changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        d, shares = -grad, {}
        for i in reversed(range(len(steps))):
            shares[i] = steps[i].dot(d) * ro[i]
            d = d - changes[i] * shares[i]
        d = d * state["H_diag"]
        for i in range(len(steps)):
            d = d + steps[i] * (shares[i] - changes[i].dot(d) * ro[i])
        state["d"] = d

    def remember(self, change: Tensor, step: Tensor) -> None:
        """Keep a step and the change of the gradient over it, if they agree."""
        state, agreement = self.state, change.dot(step)
        if not float(agreement) > 1e-10:
            return
        for name, value in (("old_dirs", change), ("old_stps", step), ("ro", 1.0 / agreement)):
            if len(state[name]) == self.group["history_size"]:
                state[name].pop(0)
            state[name].append(value)
        state["H_diag"] = agreement / change.dot(change)

    def move(self, start: Point, t: float, d: Tensor, last: bool, most: int) -> tuple[Point, int]:
        """Move along `d` by `t`, or by what a search of `most` steps finds; return the place."""
        if self.group["line_search_fn"] is None:
            self.add(t, d)
            if last:  # the loss at the new place is not used
                return start._replace(t=t), 0
            return self.point_at(t, d), 1
        here = [p.clone() for p in self.params]

        def evaluate(t: float) -> Point:
            self.add(t, d)
            point = self.point_at(t, d)
            for p, value in zip(self.params, here, strict=True):
                p.copy_(value)
            return point

        longest = float(d.abs().max())
        point, tried = _strong_wolfe(evaluate, start, t, longest, most)
        self.add(point.t, d)
        return point, tried

    def add(self, t: float, d: Tensor) -> None:
        """Move the parameters by t·d."""
        begin = 0
        for p in self.params:
            p.add_(d[begin : begin + p.numel()].reshape(tuple(p.shape)), alpha=t)
            begin += p.numel()

    def point_at(self, t: float, d: Tensor) -> Point:
        """Evaluate the closure at the present parameters: a place on the line."""
        with enable_grad():
            value = _number_of(self.closure())
        grad = self.gradient()
        return Point(t, value, grad, float(grad.dot(d)))
