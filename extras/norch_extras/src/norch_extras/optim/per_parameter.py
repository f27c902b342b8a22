"""Optimizers that step one parameter at a time, in tensor operations: Adafactor, ASGD, Rprop.

`PerParameter`, their base and that of adam_variants.py and fused.py, keeps a state for each
parameter: `begin` gives the first state, `change` takes one step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, finfo, float64, full_like, no_grad, tensor, where, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_nn.optim.optimizer import Group, Optimizer, options


class PerParameter(Optimizer):
    """Steps parameter by parameter; weight decay is added to the gradient, unless `decoupled`."""

    decoupled = False
    means: tuple[str, ...] = ()  # what the state of a parameter holds, all zeros at first
    numbers: tuple[str, ...] = ()  # and what as numbers, which PyTorch saves as tensors

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return the first state of a parameter: its `means`."""
        return {name: zeros_like(p, requires_grad=False) for name in self.means}

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take the step of one parameter: change `p` and `state` in place."""
        raise NotImplementedError(f"[{type(self).__name__}] has no change: write the step")

    def restore(self, entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
        """Return what a state_dict, also one of PyTorch's, holds for one parameter."""
        numbers = {name: float(entry[name]) for name in self.numbers if name in entry}
        return super().restore({**entry, **numbers}, p)

    def update(self, params: list[Tensor], group: Group) -> None:
        """Take the step of every parameter of a group."""
        group = {k: v.item() if isinstance(v, Tensor) else v for k, v in group.items()}
        with no_grad():
            for p in params:
                if p.grad is None:
                    continue
                grad = -p.grad if group["maximize"] else p.grad.detach()
                decoupled = self.decoupled or group.get("decoupled_weight_decay", False)
                if group.get("weight_decay") and not decoupled:
                    grad = grad + p * group["weight_decay"]
                self.change(p, grad, self._state_of(p, group), group)

    def _state_of(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return the state of a parameter, with one more step counted."""
        state = self.state[p]
        if not state:
            state.update({"step": 0, **self.begin(p, group)})
        state["step"] += 1
        return state


class Adafactor(PerParameter):
    """p ← p - s·u, u = g / √v̂ shortened to a root mean square of `d` (Shazeer and Stern, 2018).

    v̂ of a matrix is the product of the running means of g² over its rows and over its columns,
    whose share falls as t^beta2_decay. s is min(lr, 1 / √t) times the size of the weights, which
    counts as eps[1] at least. The weights are decayed apart from the gradient.

    >>> w = nn.Parameter(norch.ones(2, 2))
    >>> optimizer = Adafactor([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w[0].tolist()
    [0.75, 0.75]
    """

    decoupled = True
    elementwise = False

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option of the optimizer out of its range."""
        super().check_options(group)
        if not group["beta2_decay"] <= 0:
            raise ValueError(f"[Adafactor] beta2_decay must be 0 or less: {group['beta2_decay']}")
        smallest, least = group["eps"]
        if not (least >= 0 and (smallest is None or smallest >= 0)):
            raise ValueError(f"[Adafactor] eps must be 0 or more, not {group['eps']}")
        if not group["d"] >= 1:
            raise ValueError(f"[Adafactor] d must be 1 or more, not {group['d']}")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return means of rows and of columns; of a vector one mean an element."""
        if p.ndim < 2:
            return {"variance": zeros_like(p, requires_grad=False)}
        lead, (height, width) = tuple(p.shape[:-2]), tuple(p.shape[-2:])
        return {"row_var": p.new_zeros(*lead, height, 1), "col_var": p.new_zeros(*lead, 1, width)}

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take this optimizer's step of one parameter."""
        step, lr, (eps, least) = state["step"], group["lr"], group["eps"]
        eps = finfo(p.dtype).eps if eps is None else eps
        size = max(least, float(p.norm()) / math.sqrt(max(p.numel(), 1)))
        rate = size * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        square = self.mean_square(grad, state, step ** group["beta2_decay"], eps)
        update = grad * square.clamp(min=eps * eps).rsqrt()
        shorten = max(1.0, float(update.norm()) / (math.sqrt(max(p.numel(), 1)) * group["d"]))
        p.add_(update, alpha=-rate / shorten)

    def mean_square(self, grad: Tensor, state: dict[str, Any], share: float, eps: float) -> Tensor:
        """Bring the running means up to date; return what they say about each element."""
        if grad.ndim < 2:
            variance: Tensor = state["variance"]
            return variance.add_(grad * grad - variance, alpha=share)
        rows: Tensor = state["row_var"]
        columns: Tensor = state["col_var"]
        rows.add_((grad * grad).mean(-1, keepdim=True) - rows, alpha=share)
        columns.add_((grad * grad).mean(-2, keepdim=True) - columns, alpha=share)
        return (rows @ columns) / rows.mean(-2, keepdim=True).clamp(min=eps)

    def restore(self, entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
        """Copy what was remembered: rows and columns have shapes of their own."""
        kept = {
            k: v.detach().to(p.device, p.dtype).clone() for k, v in entry.items() if k != "step"
        }
        return {"step": int(entry["step"]), **kept}


class ASGD(PerParameter):
    """p ← p·(1 - lambd·eta) - eta·g; after `t0` steps `ax` is the mean of p.

    eta = lr / (1 + lambd·lr·t)^alpha (Polyak and Juditsky, 1992).

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = ASGD([w], lr=0.25, lambd=0.0)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

    numbers = ("eta", "mu")

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return the rate, the share of the newest weights in the mean, and the mean."""
        return {"eta": group["lr"], "mu": 1.0, "ax": zeros_like(p, requires_grad=False)}

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take this optimizer's step of one parameter."""
        eta, step = state["eta"], state["step"]
        p.mul_(1 - group["lambd"] * eta).add_(grad, alpha=-eta)
        mean = state["ax"]
        mean.add_(p - mean, alpha=state["mu"])
        slowed = 1 + group["lambd"] * group["lr"] * step
        # A tensor's power: Python's raises an error for what is infinite here.
        state["eta"] = group["lr"] * (tensor(slowed, dtype=float64) ** -group["alpha"]).item()
        state["mu"] = 1 / max(1, step - group["t0"])


class Rprop(PerParameter):
    """p ← p - sign(g)·s, a step s of its own for each weight (Riedmiller and Braun, 1993).

    s grows by etas[1] while the sign stays, shrinks by etas[0] where it turns (and no step is
    taken there); it stays between the two `step_sizes`.

    >>> w = nn.Parameter(norch.ones(1))
    >>> optimizer = Rprop([w], lr=0.25)
    >>> w.sum().backward(); optimizer.step(); w.item()
    0.75
    """

    @in_own_name
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option of the optimizer out of its range."""
        super().check_options(group)
        shrink, grow = group["etas"]
        if not 0 < shrink < 1 < grow:
            raise ValueError(f"[Rprop] etas must lie below and above 1, not {shrink} and {grow}")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Return the gradient before, and the size of each weight's step."""
        return {
            "prev": zeros_like(p, requires_grad=False),
            "step_size": full_like(p, group["lr"], requires_grad=False),
        }

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take this optimizer's step of one parameter."""
        shrink, grow = group["etas"]
        agreement = grad * state["prev"]
        same = full_like(agreement, 1.0)  # in the dtype of the weights: a number would be float32
        factor = where(agreement > 0, grow, where(agreement < 0, shrink, same))
        smallest, largest = group["step_sizes"]
        size = state["step_size"].mul_(factor).clamp_(smallest, largest)
        grad = where(agreement < 0, 0.0, grad)
        p.sub_(grad.sign() * size)
        state["prev"].copy_(grad)
