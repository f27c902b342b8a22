"""Functions of one number with real values, activations and their gradients.

A line of the table names a kernel of functions.cu. Whole numbers are read as float32.
"""

from __future__ import annotations

from collections.abc import Callable

from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import is_real, real_dtype
from norch_cuda.launch.base import OperationsBase
from norch_cuda.launch.pointwise import Unary, apply, name_method

_APPROXIMATIONS = {"none": "gelu", "tanh": "gelu_tanh"}


def _function(op: str, doc: str) -> Unary:
    """Make a method that computes a function with real values."""

    def method(self: OperationsBase, a: CudaArray) -> CudaArray:
        self.check(op, a)
        result = real_dtype(a.dtype)
        return apply(self, "functions", op, result, result, a)

    return name_method(method, op, doc)


def _rounding(op: str, doc: str) -> Unary:
    """Make a method that rounds; whole numbers stay as they are."""
    real = _function(op, doc)

    def method(self: OperationsBase, a: CudaArray) -> CudaArray:
        self.check(op, a)
        return real(self, a) if is_real(a.dtype) else self.clone(a)

    return name_method(method, op, doc)


class Functions(OperationsBase):
    """exp, log, sin and the like."""

    exp = _function("exp", "`e` to the power `x`.")
    expm1 = _function("expm1", "`exp(x) - 1`, exact near 0.")
    log = _function("log", "Natural logarithm.")
    log1p = _function("log1p", "`log(1 + x)`, exact near 0.")
    log2 = _function("log2", "Logarithm to base 2.")
    sqrt = _function("sqrt", "Square root.")
    rsqrt = _function("rsqrt", "`1 / sqrt(x)`.")
    sin = _function("sin", "Sine.")
    cos = _function("cos", "Cosine.")
    tan = _function("tan", "Tangent.")
    tanh = _function("tanh", "Hyperbolic tangent.")
    sigmoid = _function("sigmoid", "`1 / (1 + exp(-x))`.")
    reciprocal = _function("reciprocal", "`1 / x`.")
    erf = _function("erf", "Error function.")
    erfc = _function("erfc", "1 - erf, exact where it is small.")
    asin = _function("asin", "Angle from -pi/2 to pi/2 whose sine is x; NaN beyond 1.")
    acos = _function("acos", "Angle from 0 to pi whose cosine is x; NaN beyond 1.")
    atan = _function("atan", "Angle from -pi/2 to pi/2 whose tangent is x.")
    sinh = _function("sinh", "Hyperbolic sine.")
    cosh = _function("cosh", "Hyperbolic cosine.")
    asinh = _function("asinh", "Inverse of sinh.")
    acosh = _function("acosh", "Inverse of cosh, not negative; NaN below 1.")
    atanh = _function("atanh", "Inverse of tanh; NaN beyond 1.")
    erfinv = _function("erfinv", "Inverse of erf; NaN beyond 1.")
    floor = _rounding("floor", "Round down.")
    ceil = _rounding("ceil", "Round up.")
    round = _rounding("round", "Round to the nearest whole number, halves to the even one.")
    trunc = _rounding("trunc", "Round towards zero.")


def _activation(op: str, doc: str) -> Callable[..., CudaArray]:
    """Make a method on a CudaArray, or on a gradient and what the forward kept."""
    return name_method(lambda self, *arrays: _activate(self, op, op, *arrays), op, doc)


def _activate(ops: OperationsBase, op: str, kernel: str, *arrays: CudaArray) -> CudaArray:
    """Launch `kernel` on arrays of one shape and one real dtype."""
    ops.check(op, *arrays)
    dtype = arrays[-1].dtype
    if not is_real(dtype):
        raise DTypeError(
            f"[{op}] expected a floating array, got {dtype.name}: cast to float32 first"
        )
    if len(arrays) > 1:
        ops.check_saved(op, arrays[0], "the saved array", arrays[1])
    return apply(ops, "functions", kernel, dtype, dtype, *arrays)


class Activations(OperationsBase):
    """What stands between two layers."""

    silu = _activation("silu", "`x sigmoid(x)`.")
    silu_backward = _activation("silu_backward", "(grad, a): the gradient of silu's input.")
    tanh_backward = _activation("tanh_backward", "(grad, y): `grad (1 - y y)`, y = tanh(a).")
    sigmoid_backward = _activation(
        "sigmoid_backward", "(grad, y): `grad y (1 - y)`, y = sigmoid(a)."
    )
    relu_backward = _activation(
        "relu_backward", "(grad, y): `grad` where y = relu(a) is above 0 (or a NaN), else 0."
    )

    def gelu(self, a: CudaArray, approximate: str = "none") -> CudaArray:
        """`x` times the share of a normal distribution below `x`; "tanh" approximates it."""
        return _activate(self, "gelu", _gelu("gelu", approximate), a)

    def gelu_backward(self, grad: CudaArray, a: CudaArray, approximate: str = "none") -> CudaArray:
        """Return the gradient of gelu's input a."""
        op = "gelu_backward"
        return _activate(self, op, f"{_gelu(op, approximate)}_backward", grad, a)


def _gelu(op: str, approximate: str) -> str:
    """Return the kernel of gelu for what `approximate` says."""
    if approximate not in _APPROXIMATIONS:
        raise RuntimeError(f"[{op}] approximate must be 'none' or 'tanh', got {approximate!r}")
    return _APPROXIMATIONS[approximate]
