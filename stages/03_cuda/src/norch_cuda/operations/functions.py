"""Functions of one number with real values; whole numbers are read as float32.

Each method names the kernel of its own name in functions.cu.
"""

from __future__ import annotations

from norch_cuda.array import CudaArray
from norch_cuda.operations.pointwise import Pointwise


class Functions(Pointwise):
    """exp, log, sin and their kin."""

    def exp(self, a: CudaArray) -> CudaArray:
        """E to the power x."""
        return self._function("exp", a)

    def expm1(self, a: CudaArray) -> CudaArray:
        """exp(x) - 1, exact near 0."""
        return self._function("expm1", a)

    def log(self, a: CudaArray) -> CudaArray:
        """Natural logarithm."""
        return self._function("log", a)

    def log1p(self, a: CudaArray) -> CudaArray:
        """log(1 + x), exact near 0."""
        return self._function("log1p", a)

    def log2(self, a: CudaArray) -> CudaArray:
        """Logarithm to base 2."""
        return self._function("log2", a)

    def sqrt(self, a: CudaArray) -> CudaArray:
        """Square root."""
        return self._function("sqrt", a)

    def rsqrt(self, a: CudaArray) -> CudaArray:
        """1 / sqrt(x)."""
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
        """1 / (1 + exp(-x))."""
        return self._function("sigmoid", a)

    def reciprocal(self, a: CudaArray) -> CudaArray:
        """1 / x."""
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
