"""spectral_norm by a hook, as older scripts call it: a weight over its largest singular value.

parametrizations.py has the newer one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from norch_autograd import Tensor
from norch_nn.module import Module
from norch_nn.parameter import Parameter
from norch_nn.utils import power_iteration

M = TypeVar("M", bound=Module)


class SpectralNorm:
    """The hook that makes the weight anew before each forward."""

    def __init__(self, name: str, steps: int, dim: int, eps: float) -> None:
        """Remember which parameter, and how its singular value is followed."""
        self.name = name
        self.steps = steps
        self.dim = dim
        self.eps = eps

    def weight_of(self, module: Module, training: bool) -> Tensor:
        """Return the weight, divided; in training after some steps of power iteration."""
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = power_iteration.as_matrix(weight, self.dim)
        if training:
            # v goes first here, as in PyTorch's hook: a file's u and v go on as they did there.
            power_iteration.advance(matrix.detach().mT, v, u, self.steps, self.eps)
        divided: Tensor = weight / power_iteration.largest(matrix, u, v)
        return divided

    def __call__(self, module: Module, args: Any) -> None:
        """Set the weight before a forward."""
        setattr(module, self.name, self.weight_of(module, module.training))


def spectral_norm(
    module: M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> M:
    """Replace the parameter `name` by `name_orig`, divided by its largest singular value.

    The value is followed by `n_power_iterations` steps a forward while training (Miyato et al.,
    2018).

    >>> list(spectral_norm(nn.Linear(3, 2)).state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if any(h.call.name == name for h in hooks_of(module)):
        raise RuntimeError(f"[spectral_norm] {name!r} has a spectral_norm already")
    if n_power_iterations <= 0:
        raise ValueError(
            f"[spectral_norm] n_power_iterations must be above 0, not {n_power_iterations}"
        )
    weight = getattr(module, name, None)
    if not isinstance(weight, Parameter):
        raise ValueError(f"[spectral_norm] {type(module).__name__} has no parameter {name!r}")
    dim = power_iteration.default_dim(module) if dim is None else dim
    u, v = power_iteration.start(power_iteration.as_matrix(weight.detach(), dim), eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(SpectralNorm(name, n_power_iterations, dim, eps))
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Make an ordinary parameter again, of the value now.

    >>> list(remove_spectral_norm(spectral_norm(nn.Linear(3, 2))).state_dict())
    ['bias', 'weight']
    """
    for number, hook in list(module._hooks_of("forward_pre").items()):
        if isinstance(hook.call, SpectralNorm) and hook.call.name == name:
            weight = hook.call.weight_of(module, training=False).detach()
            for part in (name, f"{name}_orig", f"{name}_u", f"{name}_v"):
                delattr(module, part)
            module.register_parameter(name, Parameter(weight))
            del module._hooks_of("forward_pre")[number]
            return module
    raise ValueError(f"[remove_spectral_norm] {name!r} of {type(module).__name__} has none")


def hooks_of(module: Module) -> list[Any]:
    """Return the hooks of this kind."""
    hooks = module._hooks_of("forward_pre").values()
    return [hook for hook in hooks if isinstance(hook.call, SpectralNorm)]
