"""Losses: how far a prediction is from its target, element by element, then reduced.

Old scripts say `MSELoss(size_average=False)`, as it was before `reduction`: a decorator takes those
two words, also without their names, and warns. The reductions and checks here are shared by all
files of losses.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import norch_autograd as autograd
from norch_autograd import Function, Tensor, cross_entropy as plain_cross_entropy
from norch_autograd.graph.operands import error_in_own_name, in_own_name
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_nn.functional.activation import logsigmoid

P = ParamSpec("P")
R = TypeVar("R")
LOWEST = -100.0  # the logarithm of 0, as PyTorch counts it: a loss stays finite
TINY = 1e-12  # and so does its slope


def _legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """Return the reduction that the two old words mean; each is True when left out.

    >>> _legacy_reduction(False, None), _legacy_reduction(None, False)
    ('sum', 'none')
    """
    if reduce is not None and not reduce:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


def _legacy_order(names: list[str]) -> list[str]:
    """Return a loss's parameters in PyTorch's order, with the two old words at their places.

    >>> _legacy_order(["input", "target", "weight", "reduction"])
    ['input', 'target', 'weight', 'size_average', 'reduce', 'reduction']
    """
    last = names.index("reduction")
    first = last - 1 if names[last - 1] in ("ignore_index", "eps") else last
    return [*names[:first], "size_average", *names[first:last], "reduce", *names[last:]]


def with_legacy_reduction(function: Callable[P, R]) -> Callable[P, R]:
    """Let a loss accept `size_average` and `reduce` beside `reduction`, where PyTorch has them.
    Its errors begin with its own name, as of `in_own_name`.
    """
    order = _legacy_order(list(inspect.signature(function).parameters))
    most = order.index("size_average")  # so many arguments without a name stand as they are

    @functools.wraps(function)
    def wrapper(
        *args: Any, size_average: bool | None = None, reduce: bool | None = None, **kwargs: Any
    ) -> Any:
        if most < len(args) <= len(order):
            kwargs |= dict(zip(order[most:], args[most:], strict=False))
            size_average = kwargs.pop("size_average", size_average)
            reduce, args = kwargs.pop("reduce", reduce), args[:most]
        if size_average is not None or reduce is not None:
            kwargs["reduction"] = _legacy_reduction(size_average, reduce)
            warnings.warn(
                "[loss] size_average and reduce are the old words: "
                f"write reduction={kwargs['reduction']!r}",
                stacklevel=2,
            )
        try:
            return function(*args, **kwargs)
        except Exception as error:
            said, trace = error_in_own_name(function, args, kwargs, error), error.__traceback__
            try:
                raise said
            except Exception:
                said.__traceback__ = trace and trace.tb_next  # from `function` on, without us
                raise

    return wrapper  # type: ignore[return-value]


def loss(function: Callable[P, R]) -> Callable[P, R]:
    """A loss: its errors in its own name, the two old words taken, in float32 under autocast."""
    return with_legacy_reduction(in_single_precision(function))


def check_reduction(name: str, reduction: str, *more: str) -> str:
    """Return a loss's `reduction` if it is one of the three (or of `more`); else ValueError."""
    *others, last = ("none", "mean", *more, "sum")
    if reduction not in (*others, last):
        known = ", ".join(repr(word) for word in others)
        raise ValueError(f"[{name}] reduction must be {known} or {last!r}, not {reduction!r}")
    return reduction


def check_within(op: str, input: Tensor, *others: Tensor | None) -> None:
    """Raise RuntimeError for a loss's tensor that does not stretch to the shape of `input`."""
    for other in others:
        if other is not None and autograd.broadcast_shapes(input.shape, other.shape) != input.shape:
            raise RuntimeError(
                f"[{op}] a tensor of shape {tuple(input.shape)}, or one that stretches to it, is "
                f"expected, not one of {tuple(other.shape)}"
            )


def reduce_losses(losses: Tensor, reduction: str, share: Tensor | None = None) -> Tensor:
    """Return all losses, their sum, or their mean; `share` is what each counts in a mean."""
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.mean() if share is None else losses.sum() / share.sum()


def _weight_losses(name: str, losses: Tensor, reduction: str, weight: Tensor | None) -> Tensor:
    """Return the losses times their weights, reduced; a mean is one of weights."""
    check_reduction(name, reduction)
    if weight is None:
        return reduce_losses(losses, reduction)
    _check_weight(name, losses, weight)
    return reduce_losses(losses * weight, reduction, weight)


def _check_weight(name: str, losses: Tensor, weight: Tensor) -> None:
    """Refuse a loss function's weights that are not one for each loss."""
    if tuple(weight.shape) != tuple(losses.shape):
        raise ValueError(
            f"[{name}] weight has shape {tuple(weight.shape)}, the losses {tuple(losses.shape)}: "
            "one weight an element is expected"
        )


def _difference(name: str, input: Tensor, target: Tensor) -> Tensor:
    """Return a loss's input - target, with a warning where their shapes differ."""
    if tuple(input.shape) != tuple(target.shape):
        warnings.warn(
            f"[{name}] shapes {tuple(input.shape)} and {tuple(target.shape)} differ: "
            "they broadcast, which is seldom meant; reshape one",
            stacklevel=3,
        )
    return input - target


# ---- distances of numbers ------------------------------------------------------------------------


@loss
def mse_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """Return (input - target)², reduced; unequal shapes broadcast, with a warning.

    >>> mse_loss(norch.tensor([1.0, 2.0]), norch.tensor([1.0, 4.0])).item()
    2.0
    """
    check_reduction("mse_loss", reduction)
    squares = autograd.square(_difference("mse_loss", input, target))
    return _weight_losses("mse_loss", squares, reduction, weight)


@loss
def l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    """Return |input - target|, reduced; unequal shapes broadcast, with a warning.

    >>> l1_loss(norch.tensor([1.0, 2.0]), norch.tensor([1.0, 4.0])).item()
    1.0
    """
    check_reduction("l1_loss", reduction)
    return _weight_losses("l1_loss", _difference("l1_loss", input, target).abs(), reduction, weight)


@loss
def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Return d² / (2·beta) where d = |input - target| is below `beta`, d - beta/2 elsewhere.

    >>> smooth_l1_loss(norch.tensor([0.5, 3.0]), norch.zeros(2), reduction="none").tolist()
    [0.125, 2.5]
    """
    check_reduction("smooth_l1_loss", reduction)
    if not beta >= 0:
        raise RuntimeError(f"[smooth_l1_loss] beta must be 0 or more, not {beta}")
    d = _difference("smooth_l1_loss", input, target).abs()
    if beta == 0:
        return reduce_losses(d, reduction)
    far = d >= beta
    near = autograd.where(far, 0.0, d)  # the square of an infinite d has no gradient
    return reduce_losses(autograd.where(far, d - 0.5 * beta, near * near * (0.5 / beta)), reduction)


@in_own_name
@in_single_precision
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Return d² / 2 where d = |input - target| is below `delta`, delta·(d - delta/2) elsewhere.

    >>> huber_loss(norch.tensor([1.0, 3.0]), norch.zeros(2), "none", delta=2.0).tolist()
    [0.5, 4.0]
    """
    check_reduction("huber_loss", reduction)
    if not delta > 0:
        raise RuntimeError(f"[huber_loss] delta must be above 0, not {delta}")
    d = _difference("huber_loss", input, target).abs()
    far = d >= delta
    near = autograd.where(far, 0.0, d)  # the square of an infinite d has no gradient
    losses = near * near * 0.5
    if delta < math.inf:
        losses = autograd.where(far, (d - 0.5 * delta) * delta, losses)
    if weight is not None:  # here, unlike above, PyTorch's mean is not divided by the weights
        _check_weight("huber_loss", losses, weight)
        losses = losses * weight
    return reduce_losses(losses, reduction)


# ---- class indices -------------------------------------------------------------------------------


# `__wrapped__` leaves out stage 4's `in_own_name`: `with_legacy_reduction` does the same.
_bare = vars(plain_cross_entropy)["__wrapped__"]
cross_entropy: Callable[..., Tensor] = with_legacy_reduction(_bare)


def _check_classes(name: str, index: Tensor, classes: int) -> None:
    """Raise IndexError for a classification loss's target class that does not exist."""
    if index.numel() and not 0 <= int(index.amin()) <= int(index.amax()) < classes:
        raise IndexError(
            f"[{name}] a target lies outside of 0 to {classes - 1}, between {int(index.amin())} "
            f"and {int(index.amax())}"
        )


@loss
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return -input[target] of log-probabilities (N, C, ...) or (C,) and class indices (N, ...).

    `weight` (C,) weighs the classes, in a mean too; `ignore_index` does not count.

    >>> nll_loss(norch.tensor([[-0.5, -3.0]]), norch.tensor([1])).item()
    3.0
    """
    check_reduction("nll_loss", reduction)
    dim = 1 if input.ndim > 1 else 0
    expected = tuple(input.shape[:dim]) + tuple(input.shape[dim + 1 :])
    if input.ndim == 0 or tuple(target.shape) != expected:
        fewer = input.ndim == 0 or input.shape[:1] != target.shape[:1]  # rows, as PyTorch tells
        raise (ValueError if fewer else RuntimeError)(
            f"[nll_loss] input {tuple(input.shape)} and target {tuple(target.shape)} do not fit: "
            "(N, C, ...) and (N, ...) are expected"
        )
    counts = target != operator.index(ignore_index)
    index = target.masked_fill(~counts, 0)
    _check_classes("nll_loss", index, input.shape[dim])
    picked = input.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    share = counts.to(input.dtype)
    if weight is not None:  # an infinite one times 0 is no 0
        weights = weight.reshape(input.shape[dim])  # or it is refused: one a class
        share = weights.index_select(0, index.reshape(-1)).reshape(expected).masked_fill(~counts, 0)
    return reduce_losses(-picked.masked_fill(~counts, 0) * share, reduction, share)


# ---- probabilities of two classes ----------------------------------------------------------------


class BinaryCrossEntropy(Function):
    """-y·log(x) - (1 - y)·log(1 - x), with both logarithms kept above -100.

    The slope (x - y) / (x·(1 - x)) is written out: through the bounds it would be lost.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        """Compute the losses."""
        ctx.save_for_backward(x, y)
        yes, no = autograd.log(x).clamp(min=LOWEST), autograd.log1p(-x).clamp(min=LOWEST)
        return (y - 1) * no - y * yes

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of both."""
        (grad,) = grads
        x, y = ctx.saved_tensors
        dx = grad * (x - y) / (x * (1 - x)).clamp(min=TINY)
        return dx, grad * (autograd.log1p(-x) - autograd.log(x))


@loss
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return -y·log(x) - (1 - y)·log(1 - x) of probabilities x and targets y of one shape.

    >>> binary_cross_entropy(norch.tensor([0.0]), norch.tensor([1.0])).item()
    100.0
    """
    check_reduction("binary_cross_entropy", reduction)
    _check_same_shape("binary_cross_entropy", input, target)
    _check_floating("binary_cross_entropy", input=input, target=target)
    if input.numel() and not bool(((input >= 0) & (input <= 1)).all()):
        raise RuntimeError(
            "[binary_cross_entropy] probabilities between 0 and 1 are expected: "
            "apply sigmoid, or use binary_cross_entropy_with_logits"
        )
    check_within("binary_cross_entropy", input, weight)
    losses: Tensor = BinaryCrossEntropy.apply(input, target)
    return reduce_losses(losses if weight is None else losses * weight, reduction)


@loss
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the binary cross-entropy of sigmoid(input) and `target`, exact for large inputs.

    `pos_weight` weighs the term of target 1, so that rare positives count more.

    >>> binary_cross_entropy_with_logits(norch.tensor([-200.0]), norch.tensor([1.0])).item()
    200.0
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    _check_same_shape("binary_cross_entropy_with_logits", input, target)
    _check_floating("binary_cross_entropy_with_logits", input=input, target=target)
    check_within("binary_cross_entropy_with_logits", input, weight, pos_weight)
    log_probability = logsigmoid(input)
    if pos_weight is not None:
        more = pos_weight.to(input.dtype) - 1
        log_probability = log_probability * (more * target + 1)
    losses = (1 - target) * input - log_probability
    return reduce_losses(losses if weight is None else losses * weight.to(losses.dtype), reduction)


def _check_floating(name: str, **tensors: Tensor) -> None:
    """Raise RuntimeError for a loss's tensor that is not floating-point: often a target of ints."""
    for what, x in tensors.items():
        if not x.is_floating_point():
            kind = NotImplementedError if what == "input" else RuntimeError  # PyTorch's
            raise kind(f"[{name}] {what} is {x.dtype}: cast it, {what}.float()")


def _check_same_shape(name: str, input: Tensor, target: Tensor) -> None:
    """Raise ValueError unless a loss's input and target have one shape."""
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"[{name}] input {tuple(input.shape)} and target {tuple(target.shape)} must have "
            "one shape: reshape the target"
        )
