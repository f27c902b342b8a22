"""gradcheck: is a derivative right? Compare it with differences, in float64, entry by entry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd.autograd.grad import grad
from norch_autograd.creation.factories import tensor
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.graph.views import require_grad
from norch_autograd.ops.dtype.convert import clone, detach, to
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.join import stack
from norch_autograd.ops.shape.view import reshape
from norch_cpu_ops import float64


class GradcheckError(RuntimeError):
    """A derivative that is not what differences say."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` at `inputs` equal central differences `(f(x+eps) - f(x-eps))
    / 2eps`.

    Raises RuntimeError that names the first entry that differs, or returns False without
    `raise_exception`. A second backward may differ by `nondet_tol`; `check_batched_grad` asks for
    all rows in one batch too; `fast_mode` compares one number for each pair of output and input, a
    slope in a fixed direction, instead of every entry. Outputs are always differentiated one by
    one, the others' gradients undefined: `check_undefined_grad` chooses nothing, nor does `masked`.
    There is no forward mode to check.

    >>> x = norch.tensor([1., 2.], dtype=norch.float64, requires_grad=True)
    >>> norch.gradcheck(lambda x: x * x, x)
    True
    """
    if check_forward_ad or check_batched_forward_grad or not check_backward_ad:
        raise NotImplementedError("[gradcheck] norch has no forward mode: only backward is checked")
    arguments = _as_list(inputs)
    variables = _variables(arguments)
    problem = None
    for number, output in enumerate(_floats(func(*arguments))):
        numeric, analytic = (_slope, _project) if fast_mode else (_numeric, _analytic)
        rough = [numeric(func, arguments, v, number, eps) for v in variables]
        if output._requires_grad:
            exact = analytic(output, variables)
            problem = problem or _compare_passes(output, variables, analytic, exact, nondet_tol)
            if check_batched_grad:
                problem = problem or _compare_batch(output, variables)
        else:
            exact = [[[0.0] * len(row) for row in table] for table in rough]
        for k, (table, other) in enumerate(zip(exact, rough, strict=True)):
            found = _difference(table, other, atol, rtol)
            problem = problem or (found and f"output {number}, input {k}: {found}")
    if problem and raise_exception:
        raise GradcheckError(f"[gradcheck] {problem}")
    return problem is None


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Any] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """`gradcheck` of the gradients of `func`: are the second derivatives right?

    `grad_outputs` are the weights of the outputs; without them some are made, in strides of two
    with `gen_non_contig_grad_outputs`.

    >>> x = norch.tensor([1., 2.], dtype=norch.float64, requires_grad=True)
    >>> norch.gradgradcheck(lambda x: x.exp(), x)
    True
    """
    if check_fwd_over_rev or not check_rev_over_rev:
        raise NotImplementedError("[gradgradcheck] norch has no forward mode")
    arguments = _as_list(inputs)
    if grad_outputs is None:
        outputs = [out for out in _floats(func(*arguments)) if out._requires_grad]
        weights = [_weights(out, gen_non_contig_grad_outputs) for out in outputs]
    else:
        weights = _as_list(grad_outputs)
    places = [i for i, a in enumerate(arguments) if isinstance(a, Tensor) and a._requires_grad]

    def first_derivatives(*values: Any) -> tuple[Any, ...]:
        args, given = values[: len(arguments)], values[len(arguments) :]
        results = [out for out in _floats(func(*args)) if out._requires_grad]
        targets = [args[i] for i in places]
        found = grad(results, targets, given, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None and g._requires_grad)

    return gradcheck(
        first_derivatives,
        [*arguments, *weights],
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
    )


def _as_list(value: Any) -> list[Any]:
    """The inputs or outputs of a checked function, one or several, as a list."""
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _variables(arguments: list[Any]) -> list[Any]:
    """The inputs to check the gradients of; refuses expanded ones, warns of coarse dtypes."""
    variables = [a for a in arguments if isinstance(a, Tensor) and a._requires_grad]
    if not variables:
        raise ValueError("[gradcheck] no input requires a gradient: there is nothing to check")
    for k, variable in enumerate(variables):
        x = variable.array
        if x.dtype is not float64:
            warnings.warn(
                f"[gradcheck] input {k} is {x.dtype}, too coarse for differences of {1e-6}: "
                "use float64",
                stacklevel=3,
            )
        steps = zip(x.strides, x.shape, strict=True)
        if x.numel and any(step == 0 and size > 1 for step, size in steps):
            raise RuntimeError(
                f"[gradcheck] input {k} was expanded: entries that share one place in memory "
                "cannot be changed one by one; clone() it first"
            )
    return variables


def _floats(results: Any) -> list[Any]:
    """The outputs of a checked function that can have a derivative."""
    listed = _as_list(results)
    tensors = [out for out in listed if isinstance(out, Tensor)]
    if listed and not tensors:
        raise ValueError(f"[gradcheck] the function must return tensors, got {results!r}")
    return [out for out in tensors if out.array.dtype.is_floating_point]


def _weights(output: Tensor, apart: bool) -> Tensor:
    """Fixed weights for an output of a checked function, all different."""
    values = [0.5 + 0.37 * (i % 7) - 0.2 * (i % 3) for i in range(output.array.numel)]
    flat = tensor(values, dtype=float64) if values else tensor([], dtype=float64)
    found = to(reshape(flat, output.array.shape), output.array.dtype)
    if apart:
        found = stack([found, found], -1)[..., 0]
    return require_grad(detach(found))


def _starts(output: Tensor) -> list[Tensor]:
    """For gradcheck: of each entry of an output, the gradient that picks it."""
    size = output.array.numel
    picks = [[1.0 if k == i else 0.0 for k in range(size)] for i in range(size)]
    shape, dtype = output.array.shape, output.array.dtype
    return [to(reshape(tensor(pick, dtype=float64), shape), dtype) for pick in picks]


def _analytic(output: Tensor, variables: list[Any]) -> list[list[list[float]]]:
    """gradcheck's Jacobian by backward: for each variable, one row per output entry."""
    rows: list[list[list[float]]] = [[] for _ in variables]
    for start in _starts(output):
        found = grad(output, variables, start, retain_graph=True, allow_unused=True)
        for row, g, v in zip(rows, found, variables, strict=True):
            row.append(
                [0.0] * v.array.numel if g is None else reshape(detach(g), -1).array.tolist()
            )
    return rows


def _compare_passes(
    output: Tensor,
    variables: list[Any],
    analytic: Callable[..., Any],
    exact: list[list[list[float]]],
    tolerance: float,
) -> str | None:
    """How a second backward pass differs from the first, in words; None if it does not."""
    for k, (table, again) in enumerate(zip(exact, analytic(output, variables), strict=True)):
        if _difference(table, again, tolerance, 0.0):
            return f"input {k}: two backward passes differ by more than nondet_tol={tolerance}"
    return None


def _compare_batch(output: Tensor, variables: list[Any]) -> str | None:
    """How a batched backward pass differs from single ones, in words; None if it does not."""
    starts, exact = _starts(output), _analytic(output, variables)
    if not starts:
        return None
    found = grad(output, variables, stack(starts), True, False, True, True, True)
    for k, (table, batch) in enumerate(zip(exact, found, strict=True)):
        rows = None if batch is None else reshape(detach(batch), len(starts), -1).array.tolist()
        problem = rows and _difference(table, rows, 1e-9, 1e-9)
        if problem:
            return f"input {k}: a batch of gradients answers otherwise: {problem}"
    return None


def _project(output: Tensor, variables: list[Any]) -> list[list[list[float]]]:
    """By backward, for each variable one number: the weighted output's slope in one direction."""
    found = grad(output, variables, _direction(output), retain_graph=True, allow_unused=True)
    return [
        [[0.0 if g is None else sum(detach(g) * _direction(v)).array.item()]]
        for g, v in zip(found, variables, strict=True)
    ]


def _slope(
    func: Callable[..., Any], arguments: list[Any], variable: Any, number: int, eps: float
) -> list[list[float]]:
    """The number of `_project` by gradcheck's central differences."""

    def weigh(step: float) -> float:
        nudged = require_grad(detach(variable) + step * _direction(variable))
        changed = [nudged if argument is variable else argument for argument in arguments]
        output = detach(_floats(func(*changed))[number])
        return float(sum(output * _direction(output)).array.item())

    return [[(weigh(eps) - weigh(-eps)) / (2 * eps)]]


def _direction(like: Tensor) -> Tensor:
    """The fixed direction in which gradcheck's `fast_mode` measures slopes."""
    return detach(_weights(like, False))


def _numeric(
    func: Callable[..., Any], arguments: list[Any], variable: Any, number: int, eps: float
) -> list[list[float]]:
    """gradcheck's Jacobian by central differences, in the same layout."""

    def output(nudged: Any) -> list[float]:
        changed = [nudged if argument is variable else argument for argument in arguments]
        values: list[float] = reshape(detach(_floats(func(*changed))[number]), -1).array.tolist()
        return values

    # ex 4.7 begin
    columns = []
    for place in _positions(variable.array.shape):
        above = output(_nudge(variable, place, eps))
        below = output(_nudge(variable, place, -eps))
        columns.append([(a - b) / (2 * eps) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]
    # ex 4.7 end


def _nudge(variable: Any, place: tuple[int, ...], eps: float) -> Any:
    """A copy of a checked input, one entry of which is a little different."""
    copy = clone(detach(variable))
    copy[place] = float(copy[place]) + eps
    return require_grad(copy)


def _positions(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every index of an input to nudge, in order."""
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, i) for place in places for i in range(size)]
    return places


def _difference(
    exact: list[list[float]], rough: list[list[float]], atol: float, rtol: float
) -> str | None:
    """The first entry in which two Jacobians differ, in words."""
    for i, (row, other) in enumerate(zip(exact, rough, strict=False)):
        for k, (a, b) in enumerate(zip(row, other, strict=True)):
            if not abs(a - b) <= atol + rtol * abs(b):
                return f"d out[{i}] / d in[{k}] is {a:.6g} by backward, {b:.6g} by differences"
    return None
