"""Activations that overwrite their input, under PyTorch's names with an underscore."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn.functional.activation import relu
from norch_nn.functional.piecewise import hardtanh, leaky_relu, rrelu, threshold as _threshold
from norch_nn.functional.smooth import celu, elu, selu


def relu_(input: Tensor) -> Tensor:
    """Apply relu in place.

    >>> x = norch.tensor([-1.0, 2.0])
    >>> relu_(x) is x, x.tolist()
    (True, [0.0, 2.0])
    """
    return relu(input, inplace=True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Apply leaky_relu in place.

    >>> leaky_relu_(norch.tensor([-2.0, 2.0]), 0.5).tolist()
    [-1.0, 2.0]
    """
    return leaky_relu(input, negative_slope, inplace=True)


def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """Apply rrelu in place.

    >>> rrelu_(norch.tensor([-2.0, 2.0]), 0.5, 0.5).tolist()
    [-1.0, 2.0]
    """
    return rrelu(input, lower, upper, training, inplace=True)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply elu in place.

    >>> elu_(norch.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return elu(input, alpha, inplace=True)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply celu in place.

    >>> celu_(norch.tensor([-200.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    return celu(input, alpha, inplace=True)


def selu_(input: Tensor) -> Tensor:
    """Apply selu in place.

    >>> selu_(norch.tensor([0.0])).tolist()
    [0.0]
    """
    return selu(input, inplace=True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Apply hardtanh in place.

    >>> hardtanh_(norch.tensor([-2.0, 0.5])).tolist()
    [-1.0, 0.5]
    """
    return hardtanh(input, min_val, max_val, inplace=True)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Apply threshold in place.

    >>> threshold_(norch.tensor([0.5, 2.0]), 1.0, 9.0).tolist()
    [9.0, 2.0]
    """
    return _threshold(input, threshold, value, inplace=True)
