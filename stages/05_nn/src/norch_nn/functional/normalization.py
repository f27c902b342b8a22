"""Normalization: subtract a mean, divide by a standard deviation; each says over which elements.

layer_norm and rms_norm are stage 4's: the last dimensions of each sample. group_norm: groups of
channels of each sample; batch_norm: each channel over the whole batch; instance_norm: each channel
of each sample.
"""

from __future__ import annotations

import math

import norch_autograd as autograd
from norch_autograd import Tensor, no_grad
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import array_of


@in_own_name
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize groups of channels of each sample (N, C, ...) (Wu and He, 2018).

    >>> group_norm(norch.tensor([[1.0, 3.0, 5.0, 9.0]]), 2, eps=0.0).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """
    shape = tuple(input.shape)
    if input.ndim < 2 or num_groups <= 0 or shape[1] % num_groups:
        raise RuntimeError(
            f"[group_norm] the channels of {shape}, dimension 1, do not make {num_groups} groups"
        )
    if input.numel() == num_groups:
        raise _one_value("group_norm", input)
    return autograd.group_norm(input, num_groups, weight, bias, eps)


@in_own_name
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of (N, C, ...) over the batch (Ioffe and Szegedy, 2015).

    In training the statistics are those of the batch, and the running ones move towards them by
    `momentum`; in evaluation the running ones are used.

    >>> batch_norm(norch.tensor([[1.0], [3.0]]), None, None, training=True, eps=3.0).tolist()
    [[-0.5], [0.5]]
    """
    for given in (running_mean, running_var, weight, bias):
        if given is not None:
            array_of(given, "batch_norm")
    if eps < 0 or (training and eps == 0):
        wanted = "above 0 in training" if training else "0 or more"
        raise ValueError(f"[batch_norm] eps is {eps}: expected {wanted}")
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError("[batch_norm] evaluation needs running_mean and running_var")
    shape = input.array.shape
    if shape == (0,):  # neither channels nor values
        return input.clone()
    if running_mean is not None and running_var is not None and not training:
        return autograd.ops.batch_norm_eval(input, running_mean, running_var, weight, bias, eps)
    count = shape[0] * math.prod(shape[2:])
    if count == 1:
        raise _one_value("batch_norm", input)
    output, mean, var = autograd.ops.batch_norm(input, weight, bias, eps)
    if input.array.numel:  # something to move towards
        _check_running(running_mean, running_var, shape[1])
        _track(running_mean, running_var, mean, var, count, momentum)
    return output


def _one_value(op: str, input: Tensor) -> ValueError:
    """The error where one value alone is normalized: always 0."""
    shape = tuple(input.shape)
    return ValueError(f"[{op}] more than 1 value a channel is expected, not an input {shape}")


def _check_running(mean: Tensor | None, var: Tensor | None, channels: int) -> None:
    """Refuse running statistics of `batch_norm` or `instance_norm` that do not fit the channels."""
    for running in (mean, var):
        if running is None:
            continue
        x = running.array
        shared = x.strides == (0,) and channels > 1
        if x.shape != (channels,) or not x.dtype.is_floating_point or shared:
            raise RuntimeError(
                f"[batch_norm] running statistics of {channels} floating numbers in memory of "
                f"their own are expected, got shape {x.shape} of {x.dtype}"
            )


def _track(
    running_mean: Tensor | None,
    running_var: Tensor | None,
    mean: Tensor,
    var: Tensor,
    count: int,
    momentum: float,
) -> None:
    """Move the running statistics (C,), in place, towards those of `count` values a channel; the
    graph does not see it.
    """
    # ex 5.19 begin
    x = var.array
    unbiased = x.ops.mul(x, count / (count - 1))
    for running, now in ((running_mean, mean.array), (running_var, unbiased)):
        if running is not None:
            x = running.array
            x.ops.mul_(x, 1 - momentum)
            x.ops.add_(x, x.ops.mul(x.ops.cast(now, x.dtype), momentum))
    # ex 5.19 end


@in_own_name
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of each sample (N, C, ...) (Ulyanov et al., 2016).

    >>> instance_norm(norch.tensor([[[1.0, 3.0]], [[5.0, 9.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0]], [[-1.0, 1.0]]]
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    dims = tuple(range(2, input.ndim))
    if math.prod(input.shape[2:]) == 1:
        raise _one_value("instance_norm", input)
    _check_running(running_mean, running_var, input.shape[1])
    if input.numel() == 0:  # nothing to normalize: both parameters get gradients of zeros
        shape = (-1, *(1 for _ in dims))
        output = input if weight is None else input * weight.reshape(shape)
        return output.clone() if bias is None else output + bias.reshape(shape)
    output = autograd.group_norm(input, input.shape[1], weight, bias, eps)
    if running_mean is not None or running_var is not None:
        with no_grad():
            mean, var = input.mean(dims).mean(0), input.var(dims, correction=0).mean(0)
        count = math.prod(input.shape[dim] for dim in dims)
        _track(running_mean, running_var, mean, var, count, momentum)
    return output


@in_own_name
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return input / max(‖input‖ₚ, eps) along `dim`: vectors of length 1.

    >>> normalize(norch.tensor([[0.0, 2.0]])).tolist()
    [[0.0, 1.0]]
    """
    return input / input.norm(p, dim, keepdim=True).clamp(min=eps).expand_as(input)
