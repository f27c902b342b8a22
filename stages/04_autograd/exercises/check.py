"""gradcheck: is a derivative right? Compare it with differences, in float64, entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from norch_autograd.backward import grad
from norch_autograd.creation import tensor
from norch_autograd.dtype import float64
from norch_autograd.graph import TensorBase

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the gradients of `func` at `inputs` equal central differences `(f(x+eps) - f(x-eps))
    / 2eps`.

    Raises RuntimeError that names the first entry that differs, or returns False without
    `raise_exception`.

    >>> import norch_autograd as norch
    >>> x = norch.tensor([1., 2.], dtype=norch.float64, requires_grad=True)
    >>> norch.gradcheck(lambda x: x * x, x)
    True
    """
    arguments = _listed(inputs)
    variables = [a for a in arguments if isinstance(a, TensorBase) and a.tracked]
    if not variables:
        raise ValueError("[gradcheck] no input requires a gradient: there is nothing to check")
    for variable in variables:
        if variable.array.dtype is not float64:
            raise ValueError(f"[gradcheck] inputs must be float64, got {variable.array.dtype}")
    outputs = [out for out in _listed(func(*arguments)) if out.tracked]
    for number in range(len(outputs)):
        exact = _analytic(outputs[number], variables)
        for k, variable in enumerate(variables):
            rough = _numeric(func, arguments, variable, number, eps)
            problem = _difference(exact[k], rough, atol, rtol)
            if problem is not None:
                if raise_exception:
                    raise RuntimeError(f"[gradcheck] output {number}, input {k}: {problem}")
                return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """`gradcheck` of the gradients of `func`: are the second derivatives right?

    >>> import norch_autograd as norch
    >>> x = norch.tensor([1., 2.], dtype=norch.float64, requires_grad=True)
    >>> norch.gradgradcheck(lambda x: x.exp(), x)
    True
    """
    arguments = _listed(inputs)
    outputs = [out for out in _listed(func(*arguments)) if out.tracked]
    weights = [_weights(out) for out in outputs]
    places = [i for i, a in enumerate(arguments) if isinstance(a, TensorBase) and a.tracked]

    def first_derivatives(*values: Any) -> tuple[Any, ...]:
        args, given = values[: len(arguments)], values[len(arguments) :]
        results = [out for out in _listed(func(*args)) if out.tracked]
        targets = [args[i] for i in places]
        found = grad(results, targets, given, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None and g.tracked)

    return gradcheck(first_derivatives, [*arguments, *weights], eps, atol, rtol, raise_exception)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _weights(output: Tensor) -> Tensor:
    """Some fixed weights of the output's shape, all different."""
    values = [0.5 + 0.37 * (i % 7) - 0.2 * (i % 3) for i in range(output.array.numel)]
    flat = tensor(values, dtype=float64) if values else tensor([], dtype=float64)
    return flat.reshape(output.array.shape).requires_grad_()


def _analytic(output: Tensor, variables: list[Any]) -> list[list[list[float]]]:
    """The Jacobian by backward: for each variable, one row per output entry."""
    rows: list[list[list[float]]] = [[] for _ in variables]
    size = output.array.numel
    for i in range(size):
        pick = [1.0 if k == i else 0.0 for k in range(size)]
        start = tensor(pick, dtype=float64).reshape(output.array.shape).to(output.array.dtype)
        found = grad(output, variables, start, retain_graph=True, allow_unused=True)
        for row, g, v in zip(rows, found, variables, strict=True):
            row.append([0.0] * v.array.numel if g is None else g.detach().reshape(-1).tolist())
    return rows


def _numeric(
    func: Callable[..., Any], arguments: list[Any], variable: Any, number: int, eps: float
) -> list[list[float]]:
    """The Jacobian by central differences, in the same layout."""

    def output(nudged: Any) -> list[float]:
        changed = [nudged if argument is variable else argument for argument in arguments]
        with_graph = [out for out in _listed(func(*changed)) if out.tracked]
        values: list[float] = with_graph[number].detach().reshape(-1).tolist()
        return values

    # ex 4.7 begin
    raise NotImplementedError("exercise 4.7 is yours to write")
    # ex 4.7 end


def _nudged(variable: Any, place: tuple[int, ...], eps: float) -> Any:
    """A copy of an input, one entry of which is a little different."""
    copy = variable.detach().clone()
    copy[place] = copy[place].item() + eps
    return copy.requires_grad_()


def _positions(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every index of a shape, in order."""
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, i) for place in places for i in range(size)]
    return places


def _difference(
    exact: list[list[float]], rough: list[list[float]], atol: float, rtol: float
) -> str | None:
    """The first entry in which the two differ, in words."""
    for i, (row, other) in enumerate(zip(exact, rough, strict=False)):
        for k, (a, b) in enumerate(zip(row, other, strict=True)):
            if not abs(a - b) <= atol + rtol * abs(b):
                return f"d out[{i}] / d in[{k}] is {a:.6g} by backward, {b:.6g} by differences"
    return None
