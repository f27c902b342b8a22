"""Smooth activations as modules: ELU, GELU, SiLU, Softplus and their kin.

Each holds its options and calls the function of the same name; none has parameters.
"""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.module import Module


class ELU(Module):
    """x where it is positive, alpha · (exp(x) - 1) elsewhere (Clevert et al., 2015).

    >>> ELU()(norch.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        """Choose the depth below 0; `inplace=True` overwrites the input."""
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Show the depth."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class SELU(Module):
    """ELU with the depth and scale that keep mean 0 and variance 1 (Klambauer et al., 2017).

    >>> round(SELU()(norch.tensor([1.0])).item(), 4)
    1.0507
    """

    def __init__(self, inplace: bool = False) -> None:
        """`inplace=True` overwrites the input."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        """Show `inplace` only when it is on."""
        return "inplace=True" if self.inplace else ""


class CELU(Module):
    """x where it is positive, alpha · (exp(x / alpha) - 1) elsewhere (Barron, 2017).

    >>> CELU(3.0)(norch.tensor([-200.0, 2.0])).tolist()
    [-3.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        """Choose the depth below 0; `inplace=True` overwrites the input."""
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Show the depth."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GELU(Module):
    """x · Φ(x), Φ the normal distribution (Hendrycks and Gimpel, 2016).

    >>> GELU()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    def __init__(self, approximate: str = "none") -> None:
        """Choose "none", or "tanh" for the approximation by it."""
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """Show the approximation."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x · sigmoid(x), also called swish.

    >>> SiLU()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        """`inplace=True` overwrites the input."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Show `inplace` only when it is on."""
        return "inplace=True" if self.inplace else ""


class Mish(Module):
    """x · tanh(softplus(x)) (Misra, 2019).

    >>> Mish()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        """`inplace=True` overwrites the input."""
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        """Show `inplace` only when it is on."""
        return "inplace=True" if self.inplace else ""


class Softplus(Module):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x > threshold.

    >>> Softplus()(norch.tensor([-200.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        """Choose the sharpness, and where the curve is as good as straight."""
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Show the options."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """x / (1 + |x|).

    >>> Softsign()(norch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    >>> Tanhshrink()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 199.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.tanhshrink(input)
