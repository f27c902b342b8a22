"""Two-dimensional convolution and its gradients."""

from __future__ import annotations

from norch_cuda.array import CudaArray
from norch_cuda.backend import Argument, Pointer
from norch_cuda.operations.optimizers import Optimizers
from norch_cuda.operations.window import Sizes, Window, windows

Shape = tuple[int, ...]


class Convolution(Optimizers):
    """Kernels (in the older sense of the word) that slide over images."""

    def conv2d(
        self,
        x: CudaArray,
        weight: CudaArray,
        bias: CudaArray | None,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """x (N, C, H, W), weight (O, C / groups, KH, KW), bias (O) -> (N, O, OH, OW)."""
        self._check_images("conv2d", x, weight, *([] if bias is None else [bias]))
        slide = (stride, padding, dilation)
        h, w = _geometry("conv2d", x.shape, weight.shape, *slide, groups)
        if bias is not None and bias.shape != weight.shape[:1]:
            raise RuntimeError(
                f"[conv2d] bias {bias.shape} does not match weight {weight.shape}: "
                f"expected ({weight.shape[0]},)"
            )
        out = self._empty((x.shape[0], weight.shape[0], h.out, w.out), x.dtype)
        added = (0, Pointer(None)) if bias is None else (bias.strides[0], bias.pointer)
        arguments = (*_whole(x), *_whole(weight), *added, *_whole(out), *_steps(h), *_steps(w))
        self._elements("conv", x.dtype, "conv2d_kernel", out.numel, *arguments)
        return out

    def conv2d_backward_input(
        self,
        grad: CudaArray,
        weight: CudaArray,
        input_shape: Shape,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """Return the gradient of x, given the one of the result (N, O, OH, OW)."""
        op = "conv2d_backward_input"
        self._check_images(op, grad, weight)
        slide = (stride, padding, dilation)
        h, w = _geometry(op, tuple(input_shape), weight.shape, *slide, groups)
        _check_grad(op, grad, (input_shape[0], weight.shape[0], h.out, w.out))
        dx = self._empty(tuple(input_shape), grad.dtype)
        arguments = (*_whole(grad), *_whole(weight), *_whole(dx), *_steps(h), *_steps(w))
        self._elements("conv", grad.dtype, f"{op}_kernel", dx.numel, *arguments)
        return dx

    def conv2d_backward_weight(
        self,
        grad: CudaArray,
        x: CudaArray,
        weight_shape: Shape,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """Return the gradient of weight, given the one of the result (N, O, OH, OW)."""
        op = "conv2d_backward_weight"
        self._check_images(op, grad, x)
        slide = (stride, padding, dilation)
        h, w = _geometry(op, x.shape, tuple(weight_shape), *slide, groups)
        _check_grad(op, grad, (x.shape[0], weight_shape[0], h.out, w.out))
        dweight = self._empty(tuple(weight_shape), grad.dtype)
        length = x.shape[0] * h.out * w.out
        arguments = (*_whole(grad), *_whole(x), *_whole(dweight), *_steps(h), *_steps(w))
        self._lines("conv", grad.dtype, f"{op}_kernel", dweight.numel, length, *arguments)
        return dweight

    def _check_images(self, op: str, *arrays: CudaArray) -> None:
        """Refuse all dtypes but float32 and float64, and two of them at once."""
        self._check(op, *arrays)
        names = [a.dtype.name for a in arrays]
        if names[0] not in ("float32", "float64") or len(set(names)) > 1:
            same = ", the same for all" if len(names) > 1 else ""
            raise TypeError(
                f"[{op}] expected float32 or float64{same}, got {' and '.join(names[:2])}"
            )


def _whole(array: CudaArray) -> tuple[Argument, Argument]:
    """Return the layout, every dimension kept, and the first element."""
    return array.layout._replace(offset=0), array.pointer


def _steps(window: Window) -> tuple[int, int, int]:
    return window.stride, window.padding, window.dilation


def _geometry(
    op: str, x: Shape, weight: Shape, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> tuple[Window, Window]:
    """Check the shapes of an input and a weight; return the windows down and right."""
    if len(x) != 4 or len(weight) != 4:
        raise RuntimeError(
            f"[{op}] expected x (N, C, H, W) and weight (O, C / groups, KH, KW), got {x} and "
            f"{weight}"
        )
    if groups < 1 or weight[0] % groups or x[1] != weight[1] * groups:
        raise RuntimeError(
            f"[{op}] x {x} has {x[1]} channels, but weight {weight} with groups {groups} expects "
            f"{weight[1] * groups} and outputs divisible by groups"
        )
    return windows(op, x[2:], weight[2:], stride, padding, dilation)


def _check_grad(op: str, grad: CudaArray, expected: Shape) -> None:
    if grad.shape != expected:
        raise RuntimeError(f"[{op}] expected grad of shape {expected}, got {grad.shape}")
