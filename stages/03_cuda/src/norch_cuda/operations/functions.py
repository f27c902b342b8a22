"""Functions of one number with real values, activations and their gradients.

Each method names the kernel of its own name, in functions.cu or activation.cu. Whole numbers are
read as float32.
"""

from __future__ import annotations

from norch_cpu_ops import DTypeError
from norch_cuda.arrays.array import CudaArray, Operand
from norch_cuda.arrays.promotion import computing_dtype, is_real, real_dtype
from norch_cuda.operations.base import OperationsBase
from norch_cuda.operations.pointwise import apply, binary

_APPROXIMATIONS = {"none": "gelu", "tanh": "gelu_tanh"}


class Functions(OperationsBase):
    """exp, log, sin and the like."""

    def exp(self, a: CudaArray) -> CudaArray:
        """`e` to the power `x`."""
        return self._function("exp", a)

    def expm1(self, a: CudaArray) -> CudaArray:
        """`exp(x) - 1`, exact near 0."""
        return self._function("expm1", a)

    def log(self, a: CudaArray) -> CudaArray:
        """Natural logarithm."""
        return self._function("log", a)

    def log1p(self, a: CudaArray) -> CudaArray:
        """`log(1 + x)`, exact near 0."""
        return self._function("log1p", a)

    def log2(self, a: CudaArray) -> CudaArray:
        """Logarithm to base 2."""
        return self._function("log2", a)

    def sqrt(self, a: CudaArray) -> CudaArray:
        """Square root."""
        return self._function("sqrt", a)

    def rsqrt(self, a: CudaArray) -> CudaArray:
        """`1 / sqrt(x)`."""
        return self._function("rsqrt", a)

    def sin(self, a: CudaArray) -> CudaArray:
        """Sine."""
        return self._function("sin", a)

    def cos(self, a: CudaArray) -> CudaArray:
        """Cosine."""
        return self._function("cos", a)

    def tan(self, a: CudaArray) -> CudaArray:
        """Tangent."""
        return self._function("tan", a)

    def tanh(self, a: CudaArray) -> CudaArray:
        """Hyperbolic tangent."""
        return self._function("tanh", a)

    def sigmoid(self, a: CudaArray) -> CudaArray:
        """`1 / (1 + exp(-x))`."""
        return self._function("sigmoid", a)

    def reciprocal(self, a: CudaArray) -> CudaArray:
        """`1 / x`."""
        return self._function("reciprocal", a)

    def erf(self, a: CudaArray) -> CudaArray:
        """Error function."""
        return self._function("erf", a)

    def asin(self, a: CudaArray) -> CudaArray:
        """Angle from -pi/2 to pi/2 whose sine is x; NaN beyond 1."""
        return self._function("asin", a)

    def acos(self, a: CudaArray) -> CudaArray:
        """Angle from 0 to pi whose cosine is x; NaN beyond 1."""
        return self._function("acos", a)

    def atan(self, a: CudaArray) -> CudaArray:
        """Angle from -pi/2 to pi/2 whose tangent is x."""
        return self._function("atan", a)

    def sinh(self, a: CudaArray) -> CudaArray:
        """Hyperbolic sine."""
        return self._function("sinh", a)

    def cosh(self, a: CudaArray) -> CudaArray:
        """Hyperbolic cosine."""
        return self._function("cosh", a)

    def asinh(self, a: CudaArray) -> CudaArray:
        """Inverse of sinh."""
        return self._function("asinh", a)

    def acosh(self, a: CudaArray) -> CudaArray:
        """Inverse of cosh, not negative; NaN below 1."""
        return self._function("acosh", a)

    def atanh(self, a: CudaArray) -> CudaArray:
        """Inverse of tanh; NaN beyond 1."""
        return self._function("atanh", a)

    def erfinv(self, a: CudaArray) -> CudaArray:
        """Inverse of erf; NaN beyond 1."""
        return self._function("erfinv", a)

    def floor(self, a: CudaArray) -> CudaArray:
        """Round down."""
        return self._rounding("floor", a)

    def ceil(self, a: CudaArray) -> CudaArray:
        """Round up."""
        return self._rounding("ceil", a)

    def round(self, a: CudaArray) -> CudaArray:
        """Round to the nearest whole number, halves to the even one."""
        return self._rounding("round", a)

    def trunc(self, a: CudaArray) -> CudaArray:
        """Round towards zero."""
        return self._rounding("trunc", a)

    def atan2(self, a: Operand, b: Operand) -> CudaArray:
        """Angle of the point (y, x)."""
        return binary(self, "atan2", a, b, family="functions", real=True)

    def _function(self, op: str, a: CudaArray) -> CudaArray:
        self.check(op, a)
        result = real_dtype(a.dtype)
        computing = computing_dtype(result)
        return self.cast(apply(self, "functions", op, computing, computing, a), result)

    def _rounding(self, op: str, a: CudaArray) -> CudaArray:
        self.check(op, a)
        return self._function(op, a) if is_real(a.dtype) else self.clone(a)


class Activations(OperationsBase):
    """What stands between two layers."""

    def gelu(self, a: CudaArray, approximate: str = "none") -> CudaArray:
        """`x` times the share of a normal distribution below `x`; "tanh" approximates it."""
        return self._activation("gelu", _gelu("gelu", approximate), a)

    def gelu_backward(self, grad: CudaArray, a: CudaArray, approximate: str = "none") -> CudaArray:
        """Return the gradient of gelu's input a."""
        kernel = f"{_gelu('gelu_backward', approximate)}_backward"
        return self._activation("gelu_backward", kernel, grad, a)

    def silu(self, a: CudaArray) -> CudaArray:
        """`x sigmoid(x)`."""
        return self._activation("silu", "silu", a)

    def silu_backward(self, grad: CudaArray, a: CudaArray) -> CudaArray:
        """Return the gradient of silu's input a."""
        return self._activation("silu_backward", "silu_backward", grad, a)

    def tanh_backward(self, grad: CudaArray, y: CudaArray) -> CudaArray:
        """`grad (1 - y y)`, where y = tanh(a)."""
        return self._activation("tanh_backward", "tanh_backward", grad, y)

    def sigmoid_backward(self, grad: CudaArray, y: CudaArray) -> CudaArray:
        """`grad y (1 - y)`, where y = sigmoid(a)."""
        return self._activation("sigmoid_backward", "sigmoid_backward", grad, y)

    def relu_backward(self, grad: CudaArray, y: CudaArray) -> CudaArray:
        """`grad` where `y = relu(a)` is above 0 (or a NaN), else 0."""
        return self._activation("relu_backward", "relu_backward", grad, y)

    def _activation(self, op: str, kernel: str, *arrays: CudaArray) -> CudaArray:
        """Launch `kernel` on arrays of one shape and one real dtype."""
        self.check(op, *arrays)
        dtype = arrays[-1].dtype
        if not is_real(dtype):
            raise DTypeError(
                f"[{op}] expected a floating array, got {dtype.name}: cast to float32 first"
            )
        if len(arrays) > 1:
            self.check_saved(op, arrays[0], "the saved array", arrays[1])
        computing = computing_dtype(dtype)
        out = apply(self, "activation", kernel, computing, computing, *arrays)
        return self.cast(out, dtype)


def _gelu(op: str, approximate: str) -> str:
    if approximate not in _APPROXIMATIONS:
        raise RuntimeError(f"[{op}] approximate must be 'none' or 'tanh', got {approximate!r}")
    return _APPROXIMATIONS[approximate]
