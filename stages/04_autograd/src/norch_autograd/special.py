"""Special functions under PyTorch's name: those of training scripts and statistics.

An index: most of the functions are in more/, the others in ops/.
"""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_autograd.ops.elementwise.activation import sigmoid as expit
from norch_autograd.ops.elementwise.exponential import (
    erf as erf, erfc as erfc, expm1 as expm1, log1p as log1p,
)
from norch_autograd.more.elementwise.gamma import (
    digamma as digamma, lgamma as gammaln, mvlgamma as multigammaln, polygamma as polygamma,
)
from norch_autograd.more.elementwise.special import (
    entr as entr, logit as logit, ndtr as ndtr, sinc as sinc, xlog1py as xlog1py, xlogy as xlogy,
)
from norch_autograd.ops.elementwise.power import exp2 as exp2
from norch_autograd.more.elementwise.hyperbolic import erfinv as erfinv
from norch_autograd.tensor.aliases import logsumexp as logsumexp

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p",
    "logit", "logsumexp", "multigammaln", "ndtr", "polygamma", "sinc", "xlog1py", "xlogy",
]
