"""weight_norm and spectral_norm by a hook before each forward, as older scripts call them.

weight_norm takes a weight as a length and a direction, learned apart (Salimans and Kingma, 2016);
spectral_norm divides it by its largest singular value. Power iteration finds that value: u ← W v,
v ← Wᵀ u. A few steps a forward are enough, since the weight changes little from one to the next.
parametrizations.py has the newer ones.
"""

from __future__ import annotations

from typing import Any, TypeVar

from norch_autograd import Tensor, no_grad, randn
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
from norch_nn.functional.normalization import normalize
from norch_nn.modules.conv import TransposedConvolution

M = TypeVar("M", bound=Module)


def lengths(v: Tensor, dim: int | None) -> Tensor:
    """Return the lengths ‖v‖ of a weight over every dimension but `dim`, to broadcast."""
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
        g: Tensor = getattr(module, f"{self.name}_g")
        v: Tensor = getattr(module, f"{self.name}_v")
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
    if has_hook(module, WeightNorm, name):
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
    """Make one parameter of a weight_norm's length and direction again.

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


def has_hook(module: Module, kind: type[Any], name: str) -> bool:
    """Return whether a weight_norm or spectral_norm hook keeps the module's parameter `name`."""
    calls: list[Any] = [hook.call for hook in module._hooks_of("forward_pre").values()]
    return any(isinstance(call, kind) and call.name == name for call in calls)


def default_dim(module: Module) -> int:
    """Return the weight's dimension of outputs: 1 in transposed convolutions, else 0."""
    return 1 if isinstance(module, TransposedConvolution) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Return a weight as a matrix (outputs, the rest)."""
    return weight.movedim(dim, 0).flatten(1)


def start_vectors(matrix: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Return a random u and v of length 1, where power iteration starts."""
    rows, columns = matrix.shape
    options: dict[str, Any] = {"dtype": matrix.dtype, "device": matrix.device}
    u, v = randn(rows, **options), randn(columns, **options)
    return normalize(u, dim=0, eps=eps), normalize(v, dim=0, eps=eps)


def power_iteration(matrix: Tensor, u: Tensor, v: Tensor, steps: int, eps: float) -> None:
    """Follow the largest singular value for some `steps`; u and v change in place."""
    with no_grad():
        for _ in range(steps):
            u.copy_(normalize(matrix @ v, dim=0, eps=eps))
            v.copy_(normalize(matrix.mT @ u, dim=0, eps=eps))


def largest_singular_value(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """Return uᵀ W v; the copies are what a backward reads, whatever later steps do."""
    return u.clone() @ (matrix @ v.clone())


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
        matrix = as_matrix(weight, self.dim)
        if training:
            # v goes first here, as in PyTorch's hook: a file's u and v go on as they did there.
            power_iteration(matrix.detach().mT, v, u, self.steps, self.eps)
        divided: Tensor = weight / largest_singular_value(matrix, u, v)
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
    if has_hook(module, SpectralNorm, name):
        raise RuntimeError(f"[spectral_norm] {name!r} has a spectral_norm already")
    if n_power_iterations <= 0:
        raise ValueError(
            f"[spectral_norm] n_power_iterations must be above 0, not {n_power_iterations}"
        )
    weight = getattr(module, name, None)
    if not isinstance(weight, Parameter):
        raise ValueError(f"[spectral_norm] {type(module).__name__} has no parameter {name!r}")
    dim = default_dim(module) if dim is None else dim
    u, v = start_vectors(as_matrix(weight.detach(), dim), eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(SpectralNorm(name, n_power_iterations, dim, eps))
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Make a weight with spectral_norm an ordinary parameter again, of its value now.

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
