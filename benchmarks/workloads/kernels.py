"""The same work on stage 2's arrays, written out by hand: what the kernels take without a graph.

They stand in for rows whose operation stages 4 and 5 do not have yet, and for rows where those
still compose what stage 2 has as one kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.workload import Inputs, Work, Workload


def alone(workload: Workload) -> Workload:
    """Return the row that measures stage 2's kernel, whatever stages 4 and 5 have."""
    return replace(workload, name=f"{workload.name}, stage 2 alone", alone=True)


def gelu(ops: Any, given: Inputs) -> Work:
    """The exact gelu."""
    a = ops.from_buffer(given["a"])
    return lambda: ops.gelu(a)


def layer_norm(ops: Any, given: Inputs) -> Work:
    """LayerNorm forward and backward, with the parameters of the module's row."""
    width = given["x"].shape[-1]
    rng = np.random.default_rng(0)
    drawn = [rng.standard_normal((width,), dtype=np.float32) for _ in range(2)]
    weight, bias, x, dy = map(ops.from_buffer, [*drawn, given["x"], given["dy"]])

    def work() -> tuple[Any, ...]:
        y, mean, rstd = ops.layer_norm(x, weight, bias, 1e-5)
        return (y, *ops.layer_norm_backward(dy, x, mean, rstd, weight))

    return work


def max_pool(ops: Any, given: Inputs) -> Work:
    """MaxPool2d by two, forward and backward."""
    x, dy = ops.from_buffer(given["x"]), ops.from_buffer(given["dy"])
    two, none, one = (2, 2), (0, 0), (1, 1)

    def work() -> tuple[Any, ...]:
        y, index = ops.max_pool2d(x, two, two, none, one)
        return y, ops.max_pool2d_backward(dy, index, x.shape)

    return work


def conv2d(stride: int, padding: int, dilation: int, groups: int) -> Callable[..., Work]:
    """Return the build of a convolution forward."""
    options = [(n, n) for n in (stride, padding, dilation)]

    def build(ops: Any, given: Inputs) -> Work:
        x, weight, bias = (ops.from_buffer(given[name]) for name in ("x", "weight", "bias"))
        return lambda: ops.conv2d(x, weight, bias, *options, groups)

    return build


def conv2d_both(stride: int, padding: int, dilation: int, groups: int) -> Callable[..., Work]:
    """Return the build of a convolution forward and backward, to input, weight and bias."""
    options = [*((n, n) for n in (stride, padding, dilation)), groups]

    def build(ops: Any, given: Inputs) -> Work:
        x, weight, bias, dy = (
            ops.from_buffer(given[name]) for name in ("x", "weight", "bias", "dy")
        )

        def work() -> tuple[Any, ...]:
            y = ops.conv2d(x, weight, bias, *options)
            dx = ops.conv2d_backward_input(dy, weight, x.shape, *options)
            dweight = ops.conv2d_backward_weight(dy, x, weight.shape, *options)
            return y, dx, dweight, ops.sum(dy, (0, 2, 3))

        return work

    return build
