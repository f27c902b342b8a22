"""Adafactor: Adam's scaling with a memory of rows and columns instead of one number a weight."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, finfo, zeros_like
from norch_autograd.graph.operands import in_own_name
from norch_extras.optim.per_parameter import PerParameter, check_range
from norch_nn.optim.optimizer import Group, options


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
        """Take parameters, or groups of them, and the options of all groups."""
        super().__init__(params, options(locals()))

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option out of its range."""
        super().check_options(group)
        if group["beta2_decay"] > 0:
            raise ValueError(f"[Adafactor] beta2_decay must be 0 or less: {group['beta2_decay']}")
        smallest, least = group["eps"]
        if (smallest is not None and smallest < 0) or least < 0:
            raise ValueError(f"[Adafactor] eps must be 0 or more, not {group['eps']}")
        if group["d"] < 1:
            raise ValueError(f"[Adafactor] d must be 1 or more, not {group['d']}")
        check_range(self, group, "weight_decay")

    def begin(self, p: Tensor, group: Group) -> dict[str, Any]:
        """Means of rows and of columns; of a vector one mean an element."""
        if p.ndim < 2:
            return {"variance": zeros_like(p, requires_grad=False)}
        lead, (height, width) = tuple(p.shape[:-2]), tuple(p.shape[-2:])
        return {"row_var": p.new_zeros(*lead, height, 1), "col_var": p.new_zeros(*lead, 1, width)}

    def change(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Take the step of one parameter."""
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
        rows, columns = state["row_var"], state["col_var"]
        rows.add_((grad * grad).mean(-1, keepdim=True) - rows, alpha=share)
        columns.add_((grad * grad).mean(-2, keepdim=True) - columns, alpha=share)
        return (rows @ columns) / rows.mean(-2, keepdim=True).clamp(min=eps)

    def restore(self, entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
        """Copy what was remembered: rows and columns have shapes of their own."""
        kept = {
            k: v.detach().to(p.device, p.dtype).clone() for k, v in entry.items() if k != "step"
        }
        return {"step": int(entry["step"]), **kept}
