"""Ready parametrizations: weight_norm and spectral_norm. parametrize.py hangs them on a module."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_extras.parametrize.norm_hooks import (
    as_matrix,
    default_dim,
    largest_singular_value,
    lengths,
    power_iteration,
    start_vectors,
)
from norch_extras.parametrize.parametrize import register_parametrization
from norch_nn.core.module import Module
from norch_nn.functional.normalization import normalize


class _WeightNorm(Module):
    """g · v / ‖v‖, from the lengths g and the directions v."""

    def __init__(self, dim: int | None = 0) -> None:
        """Choose the dimension that keeps a length of its own; None for one length."""
        super().__init__()
        self.dim = dim

    def forward(self, g: Tensor, v: Tensor) -> Tensor:
        return v * (g / lengths(v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Take a weight apart into lengths and directions."""
        return lengths(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn the lengths and the directions of a weight apart (Salimans and Kingma, 2016).

    >>> layer = weight_norm(nn.Linear(3, 2))
    >>> [tuple(p.shape) for p in layer.parametrizations.weight.parameters()]
    [(2, 1), (2, 3)]
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """W / its largest singular value, which power iteration follows while training."""

    _u: Tensor
    _v: Tensor

    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        """Begin at random, and go to and fro a few times."""
        super().__init__()
        if n_power_iterations <= 0:
            raise ValueError(
                f"[spectral_norm] n_power_iterations must be above 0, not {n_power_iterations}"
            )
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(f"[spectral_norm] dim {dim} is none of {weight.ndim} dimensions")
        self.dim = dim % weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            u, v = start_vectors(matrix, eps)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            power_iteration(matrix, u, v, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            steps = self.n_power_iterations
            power_iteration(matrix.detach(), self._u, self._v, steps, self.eps)
        return weight / largest_singular_value(matrix, self._u, self._v)

    def right_inverse(self, value: Tensor) -> Tensor:
        """A weight that is set is taken to have the right size already."""
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value (Miyato et al., 2018).

    >>> list(spectral_norm(nn.Linear(3, 2)).parametrizations.weight.state_dict())
    ['original', '0._u', '0._v']
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"[spectral_norm] {type(module).__name__} has no parameter {name!r}")
    dim = default_dim(module) if dim is None else dim
    return register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps)
    )
