"""Convolution in two and three dimensions, and its gradients."""

from __future__ import annotations

from norch_cpu_ops import DTypeError
from norch_cuda.array import CudaArray
from norch_cuda.backend import Argument, Pointer
from norch_cuda.operations.optimizers import Optimizers
from norch_cuda.operations.window import Sizes, Window, windows
from norch_cuda.promotion import computing_dtype, is_real
from norch_strides import numel

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
        return self._conv(2, x, weight, bias, (stride, padding, dilation), groups)

    def conv3d(
        self,
        x: CudaArray,
        weight: CudaArray,
        bias: CudaArray | None,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """x (N, C, D, H, W), weight (O, C / groups, KD, KH, KW) -> (N, O, OD, OH, OW)."""
        return self._conv(3, x, weight, bias, (stride, padding, dilation), groups)

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
        slide = (stride, padding, dilation)
        return self._conv_backward_input(2, grad, weight, tuple(input_shape), slide, groups)

    def conv3d_backward_input(
        self,
        grad: CudaArray,
        weight: CudaArray,
        input_shape: Shape,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """Return the gradient of x, given the one of the result (N, O, OD, OH, OW)."""
        slide = (stride, padding, dilation)
        return self._conv_backward_input(3, grad, weight, tuple(input_shape), slide, groups)

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
        slide = (stride, padding, dilation)
        return self._conv_backward_weight(2, grad, x, tuple(weight_shape), slide, groups)

    def conv3d_backward_weight(
        self,
        grad: CudaArray,
        x: CudaArray,
        weight_shape: Shape,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> CudaArray:
        """Return the gradient of weight, given the one of the result (N, O, OD, OH, OW)."""
        slide = (stride, padding, dilation)
        return self._conv_backward_weight(3, grad, x, tuple(weight_shape), slide, groups)

    # ---- for both numbers of dimensions ----

    def _conv(
        self,
        dims: int,
        x: CudaArray,
        weight: CudaArray,
        bias: CudaArray | None,
        slide: tuple[Sizes, Sizes, Sizes],
        groups: int,
    ) -> CudaArray:
        op = f"conv{dims}d"
        self._check_images(op, x, weight)
        cut = _geometry(op, dims, x.shape, weight.shape, slide, groups)
        dtype = computing_dtype(x.dtype)
        images, kernels = self.cast(x, dtype), self.cast(weight, dtype)
        added: tuple[Argument, Argument] = (0, Pointer(None))
        if bias is not None:
            self._check_bias(op, x, weight, bias)
            row = self.cast(bias, dtype)
            added = (row.strides[0], row.pointer)
        out = self._empty((x.shape[0], weight.shape[0], *(w.out for w in cut)), dtype)
        arguments = (*whole(images), *whole(kernels), *added, *whole(out), *_steps(cut))
        self._elements(_family(dims), dtype, f"{op}_kernel", out.numel, *arguments)
        return self.cast(out, x.dtype)

    def _conv_backward_input(
        self,
        dims: int,
        grad: CudaArray,
        weight: CudaArray,
        shape: Shape,
        slide: tuple[Sizes, Sizes, Sizes],
        groups: int,
    ) -> CudaArray:
        op = f"conv{dims}d_backward_input"
        self._check_images(op, grad, weight)
        cut = _geometry(op, dims, shape, weight.shape, slide, groups)
        check_grad(op, grad, (shape[0], weight.shape[0], *(w.out for w in cut)))
        dtype = computing_dtype(grad.dtype)
        given, kernels = self.cast(grad, dtype), self.cast(weight, dtype)
        dx = self._empty(shape, dtype)
        arguments = (*whole(given), *whole(kernels), *whole(dx), *_steps(cut))
        self._elements(_family(dims), dtype, f"{op}_kernel", dx.numel, *arguments)
        return self.cast(dx, grad.dtype)

    def _conv_backward_weight(
        self,
        dims: int,
        grad: CudaArray,
        x: CudaArray,
        shape: Shape,
        slide: tuple[Sizes, Sizes, Sizes],
        groups: int,
    ) -> CudaArray:
        op = f"conv{dims}d_backward_weight"
        self._check_images(op, grad, x)
        cut = _geometry(op, dims, x.shape, shape, slide, groups)
        check_grad(op, grad, (x.shape[0], shape[0], *(w.out for w in cut)))
        dtype = computing_dtype(grad.dtype)
        given, images = self.cast(grad, dtype), self.cast(x, dtype)
        dweight = self._empty(shape, dtype)
        length = x.shape[0] * numel(tuple(w.out for w in cut))
        arguments = (*whole(given), *whole(images), *whole(dweight), *_steps(cut))
        self._lines(_family(dims), dtype, f"{op}_kernel", dweight.numel, length, *arguments)
        return self.cast(dweight, grad.dtype)

    def _check_images(self, op: str, *arrays: CudaArray) -> None:
        """Refuse whole numbers, and two dtypes at once."""
        self._check(op, *arrays)
        names = [a.dtype.name for a in arrays]
        if all(is_real(a.dtype) for a in arrays) and len(set(names)) > 1:
            raise RuntimeError(
                f"[{op}] dtypes {names[0]} and {names[1]} differ: cast one of them first"
            )
        if not is_real(arrays[0].dtype) or len(set(names)) > 1:
            same = ", the same for all" if len(names) > 1 else ""
            raise DTypeError(f"[{op}] expected a floating dtype{same}, got {' and '.join(names)}")

    def _check_bias(self, op: str, x: CudaArray, weight: CudaArray, bias: CudaArray) -> None:
        self._check_images(op, x, bias)
        if bias.shape != weight.shape[:1]:
            raise RuntimeError(
                f"[{op}] bias {bias.shape} does not match weight {weight.shape}: "
                f"expected ({weight.shape[0]},)"
            )


def whole(array: CudaArray) -> tuple[Argument, Argument]:
    """Return the layout, every dimension kept, and the first element."""
    return array.layout._replace(offset=0), array.pointer


def check_grad(op: str, grad: CudaArray, expected: Shape) -> None:
    """Refuse a gradient of another shape than the result's."""
    if grad.shape != expected:
        raise RuntimeError(f"[{op}] expected grad of shape {expected}, got {grad.shape}")


def _family(dims: int) -> str:
    return "conv" if dims == 2 else "conv3d"


def _steps(cut: tuple[Window, ...]) -> tuple[int, ...]:
    return tuple(n for w in cut for n in (w.stride, w.padding, w.dilation))


def _geometry(
    op: str,
    dims: int,
    x: Shape,
    weight: Shape,
    slide: tuple[Sizes, Sizes, Sizes],
    groups: int,
) -> tuple[Window, ...]:
    """Check the shapes of an input and a weight; return the window of each direction."""
    if len(x) != dims + 2 or len(weight) != dims + 2:
        image, kernel = ("H, W", "KH, KW") if dims == 2 else ("D, H, W", "KD, KH, KW")
        raise RuntimeError(
            f"[{op}] expected x (N, C, {image}) and weight (O, C / groups, {kernel}), got {x} and "
            f"{weight}"
        )
    if groups < 1 or weight[0] < groups:
        raise RuntimeError(
            f"[{op}] weight {weight} has {weight[0]} outputs: expected groups of at least 1 and at "
            f"least one output for each, got groups {groups}"
        )
    channels = weight[1] * groups
    if weight[0] % groups or x[1] != channels:
        raise RuntimeError(
            f"[{op}] x {x} has {x[1]} channels, but weight {weight} with groups {groups} expects "
            f"{channels if channels < 1 << 63 else '2^63 or more'} and outputs divisible by groups"
        )
    return windows(op, x[2:], weight[2:], *slide)
