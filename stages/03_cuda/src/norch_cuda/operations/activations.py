"""gelu and silu, and the gradients of all activations: one kernel each, in activation.cu."""

from __future__ import annotations

from norch_cpu_ops import DTypeError
from norch_cuda.array import CudaArray
from norch_cuda.operations.elementwise import Elementwise
from norch_cuda.promotion import computing_dtype, is_real

_APPROXIMATIONS = {"none": "gelu", "tanh": "gelu_tanh"}


class Activations(Elementwise):
    """What stands between two layers."""

    def gelu(self, a: CudaArray, approximate: str = "none") -> CudaArray:
        """X times the share of a normal distribution below x; "tanh" is the older formula."""
        return self._activation("gelu", _gelu("gelu", approximate), a)

    def gelu_backward(self, grad: CudaArray, a: CudaArray, approximate: str = "none") -> CudaArray:
        """Return the gradient of gelu's input a."""
        kernel = f"{_gelu('gelu_backward', approximate)}_backward"
        return self._activation("gelu_backward", kernel, grad, a)

    def silu(self, a: CudaArray) -> CudaArray:
        """X sigmoid(x)."""
        return self._activation("silu", "silu", a)

    def silu_backward(self, grad: CudaArray, a: CudaArray) -> CudaArray:
        """Return the gradient of silu's input a."""
        return self._activation("silu_backward", "silu_backward", grad, a)

    def tanh_backward(self, grad: CudaArray, y: CudaArray) -> CudaArray:
        """grad (1 - y y), where y = tanh(a)."""
        return self._activation("tanh_backward", "tanh_backward", grad, y)

    def sigmoid_backward(self, grad: CudaArray, y: CudaArray) -> CudaArray:
        """Grad y (1 - y), where y = sigmoid(a)."""
        return self._activation("sigmoid_backward", "sigmoid_backward", grad, y)

    def relu_backward(self, grad: CudaArray, y: CudaArray) -> CudaArray:
        """Grad where y = relu(a) is above 0 (or a NaN), else 0."""
        return self._activation("relu_backward", "relu_backward", grad, y)

    def _activation(self, op: str, kernel: str, *arrays: CudaArray) -> CudaArray:
        """Launch `kernel` on arrays of one shape and one real dtype."""
        self._check(op, *arrays)
        dtype = arrays[-1].dtype
        if not is_real(dtype):
            raise DTypeError(
                f"[{op}] expected a floating array, got {dtype.name}: cast to float32 first"
            )
        if len(arrays) > 1:
            self._check_saved(op, arrays[0], "the saved array", arrays[1])
        computing = computing_dtype(dtype)
        out = self._apply("activation", kernel, computing, computing, *arrays)
        return self.cast(out, dtype)


def _gelu(op: str, approximate: str) -> str:
    if approximate not in _APPROXIMATIONS:
        raise RuntimeError(f"[{op}] approximate must be 'none' or 'tanh', got {approximate!r}")
    return _APPROXIMATIONS[approximate]
