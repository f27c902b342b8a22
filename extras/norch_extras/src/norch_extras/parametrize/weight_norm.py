"""weight_norm: a weight as a length and a direction, learned apart (Salimans and Kingma, 2016)."""

from __future__ import annotations

from typing import Any, TypeVar

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter

M = TypeVar("M", bound=Module)


def lengths(v: Tensor, dim: int | None) -> Tensor:
    """Return ‖v‖ over every dimension but `dim`, in a shape that broadcasts."""
    if dim is None or dim == -1:  # PyTorch's -1 is None, not the last
        return v.norm()
    others = tuple(i for i in range(v.ndim) if i != dim % v.ndim)
    return v.norm(2, others, keepdim=True) if others else v.abs()


class WeightNorm:
    """The hook that makes the weight anew before each forward: g · v / ‖v‖."""

    def __init__(self, name: str, dim: int | None) -> None:
        """Remember which parameter, and which dimension keeps a length of its own."""
        self.name = name
        self.dim = dim

    def weight_of(self, module: Module) -> Tensor:
        """Return the weight that length and direction make."""
        g, v = (getattr(module, f"{self.name}_{part}") for part in "gv")
        return v * (g / lengths(v, self.dim))

    def __call__(self, module: Module, args: Any) -> None:
        """Set the weight before a forward."""
        setattr(module, self.name, self.weight_of(module))


@in_own_name
def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Replace the parameter `name` by `name_g`, its lengths along `dim`, and `name_v`.

    `dim=None` keeps one length for all. Raises RuntimeError where it is done already.

    >>> layer = weight_norm(nn.Linear(2, 3))
    >>> [(name, tuple(p.shape)) for name, p in layer.named_parameters()]
    [('bias', (3,)), ('weight_g', (3, 1)), ('weight_v', (3, 2))]
    """
    if any(isinstance(h.call, WeightNorm) and h.call.name == name for h in hooks_of(module)):
        raise RuntimeError(f"[weight_norm] {name!r} has a weight_norm already")
    weight = getattr(module, name, None)
    if not isinstance(weight, Parameter):
        raise ValueError(f"[weight_norm] {type(module).__name__} has no parameter {name!r}")
    hook = WeightNorm(name, dim)
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(lengths(weight.detach(), dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    hook(module, ())
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Make one parameter of length and direction again.

    >>> sorted(n for n, _ in remove_weight_norm(weight_norm(nn.Linear(2, 3))).named_parameters())
    ['bias', 'weight']
    """
    for number, hook in list(module._hooks_of("forward_pre").items()):
        if isinstance(hook.call, WeightNorm) and hook.call.name == name:
            weight = hook.call.weight_of(module).detach()
            for part in (name, f"{name}_g", f"{name}_v"):
                delattr(module, part)
            module.register_parameter(name, Parameter(weight))
            del module._hooks_of("forward_pre")[number]
            return module
    raise ValueError(f"[remove_weight_norm] {name!r} of {type(module).__name__} has none")


def hooks_of(module: Module) -> list[Any]:
    """Return the hooks that run before a forward."""
    return list(module._hooks_of("forward_pre").values())
