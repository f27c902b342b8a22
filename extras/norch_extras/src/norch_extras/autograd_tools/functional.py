"""Whole derivatives of functions: the Jacobian and the Hessian, row by row; and their products with
a vector, which need no rows at all.

Functions take one tensor or several, and return one or several; results are nested accordingly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd.autograd.grad import grad
from norch_autograd.graph.grad_mode import enable_grad
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_autograd.graph.views import require_grad
from norch_autograd.ops.dtype.convert import detach
from norch_autograd.ops.shape.join import stack, unbind
from norch_autograd.ops.shape.view import reshape, view

Some = Any  # one tensor, or a tuple of them


def _tuple(values: Some, what: str) -> tuple[Any, ...]:
    """The inputs or outputs of a function, one tensor or several, as a tuple."""
    found = tuple(values) if isinstance(values, (tuple, list)) else (values,)
    for value in found:
        if not isinstance(value, Tensor):
            raise TypeError(
                f"[functional] {what} must be a Tensor or a tuple of them, got "
                f"{type(value).__name__}"
            )
    return found


def _as_given(values: Sequence[Any], given: Some) -> Some:
    """Derivatives as a tuple if a tuple was given, else the only one."""
    return tuple(values) if isinstance(given, (tuple, list)) else values[0]


def _variables(inputs: Some, create_graph: bool) -> tuple[Any, ...]:
    """The inputs as tensors to differentiate by; connected to the old graph with `create_graph`."""
    return tuple(
        view(x, x.array.shape) if create_graph and x._requires_grad else require_grad(detach(x))
        for x in _tuple(inputs, "the inputs")
    )


def _call(func: Callable[..., Some], variables: tuple[Any, ...]) -> tuple[Some, tuple[Any, ...]]:
    """What the function to differentiate returns, as it is and as a tuple."""
    result = func(*variables)
    return result, _tuple(result, "what the function returns")


def _gradients(
    outputs: Sequence[Any],
    variables: Sequence[Any],
    vectors: Sequence[Any] | None,
    create_graph: bool,
    strict: bool,
) -> list[Any]:
    """`grad` with zeros for what does not depend; with `strict` that is an error instead."""
    used = [i for i, out in enumerate(outputs) if out._requires_grad]
    found: tuple[Any, ...] = (None,) * len(variables)
    if used:
        found = grad(
            [outputs[i] for i in used],
            variables,
            None if vectors is None else [vectors[i] for i in used],
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
    for i, g in enumerate(found):
        if strict and (g is None or (create_graph and not g._requires_grad)):
            what = "output" if g is None else "derivative"
            raise RuntimeError(f"[functional] strict: the {what} does not depend on input {i}")
    pairs = zip(found, variables, strict=True)
    return [_zeros(x) if g is None else g for g, x in pairs]


def _zeros(like: Any) -> Any:
    """The derivative of what does not depend: zeros of the same shape and dtype."""
    return plain(like.array.ops.zeros(like.array.shape, like.array.dtype))


def _finish(values: Some, create_graph: bool) -> Some:
    """Derivatives cut off from the graph, unless `create_graph` asks for it."""
    if isinstance(values, tuple):
        return tuple(_finish(value, create_graph) for value in values)
    return values if create_graph else detach(values)


def jacobian(
    func: Callable[..., Some],
    inputs: Some,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Some:
    """Every derivative of every output: shape of the output, then shape of the input.

    Several inputs give a tuple for each output, several outputs a tuple of those. `vectorize` and
    `strategy` say how PyTorch computes the same numbers; here they come row by row.

    >>> norch.autograd.functional.jacobian(lambda x: x * x, norch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_strategy(strategy, vectorize, strict)
    with enable_grad():
        variables = _variables(inputs, create_graph)
        result, outputs = _call(func, variables)
        tables = [_rows(out, variables, inputs, create_graph, strict) for out in outputs]
    return _finish(_as_given(tables, result), create_graph)


def _check_strategy(strategy: str, vectorize: bool, strict: bool) -> None:
    """Refuse options of `jacobian` that PyTorch refuses: a call means the same in both."""
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError(f"[jacobian] strategy '{strategy}': 'reverse-mode' or 'forward-mode'")
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError("[jacobian] strategy 'forward-mode' needs vectorize=True")
    if vectorize and strict:
        raise RuntimeError("[jacobian] strict=True and vectorize=True do not go together")


def _rows(
    output: Any, variables: tuple[Any, ...], inputs: Some, create_graph: bool, strict: bool
) -> Some:
    """The rows of a Jacobian: the derivatives of one output by every input."""
    flat = unbind(reshape(output, -1))
    rows = [_gradients([out], variables, None, create_graph, strict) for out in flat]
    shape = output.array.shape
    blocks = [
        reshape(stack([row[k] for row in rows]), (*shape, *x.array.shape))
        if rows
        else plain(x.array.ops.zeros((*shape, *x.array.shape), x.array.dtype))
        for k, x in enumerate(variables)
    ]
    return _as_given(blocks, inputs)


def hessian(
    func: Callable[..., Any],
    inputs: Some,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Some:
    """Every second derivative of a function with one output; nested twice for several inputs.

    >>> norch.autograd.functional.hessian(lambda x: (x ** 3).sum(), norch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def first(*variables: Any) -> Some:
        value = _scalar(_call(func, variables)[0], "hessian")
        found = _gradients([value], variables, None, True, strict)
        return tuple(found) if isinstance(inputs, (tuple, list)) else found[0]

    return jacobian(first, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def _scalar(value: Any, op: str) -> Any:
    """The one number a function must return."""
    if not isinstance(value, Tensor) or value.array.numel != 1:
        shape = value.array.shape if isinstance(value, Tensor) else type(value).__name__
        raise RuntimeError(f"[{op}] the function must return a tensor of one element, got {shape}")
    return value


def _vectors(v: Some, like: tuple[Any, ...], op: str) -> tuple[Any, ...] | None:
    """The vectors to multiply a Jacobian or Hessian with, of the shapes they belong to."""
    if v is None:
        if len(like) == 1 and like[0].array.numel == 1:
            return (plain(like[0].array.ops.ones(like[0].array.shape, like[0].array.dtype)),)
        raise RuntimeError(f"[{op}] v can only be left out for a single tensor of one element")
    found = _tuple(v, "v")
    shapes = [x.array.shape for x in found], [x.array.shape for x in like]
    if shapes[0] != shapes[1]:
        raise RuntimeError(f"[{op}] v has shapes {shapes[0]}, expected {shapes[1]}")
    return found


def vjp(
    func: Callable[..., Some],
    inputs: Some,
    v: Some = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Some, Some]:
    """What `func` returns, and `v` times its Jacobian: one backward pass.

    >>> x, v = norch.tensor([1., 2.]), norch.tensor([1., 10.])
    >>> norch.autograd.functional.vjp(lambda x: x * x, x, v)
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        variables = _variables(inputs, create_graph)
        result, outputs = _call(func, variables)
        vectors = _vectors(v, outputs, "vjp")
        found = _gradients(outputs, variables, vectors, create_graph, strict)
    return _finish(result, create_graph), _finish(_as_given(found, inputs), create_graph)


def jvp(
    func: Callable[..., Some],
    inputs: Some,
    v: Some = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Some, Some]:
    """What `func` returns, and its Jacobian times `v`: the backward of a backward pass.

    >>> x, v = norch.tensor([1., 2.]), norch.tensor([1., 10.])
    >>> norch.autograd.functional.jvp(lambda x: x * x, x, v)
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        variables = _variables(inputs, create_graph)
        vectors = _vectors(v, variables, "jvp")
        result, outputs = _call(func, variables)
        # The pass is linear in the weights: any values do.
        weights = [require_grad(_zeros(out)) for out in outputs]
        first = _gradients(outputs, variables, weights, True, strict)
        found = _gradients(first, weights, vectors, create_graph, False)
    return _finish(result, create_graph), _finish(_as_given(found, result), create_graph)


def _vector_hessian(
    op: str, func: Callable[..., Any], inputs: Some, v: Some, create_graph: bool, strict: bool
) -> tuple[Any, Some]:
    """What `vhp` and `hvp` return; errors speak of `op`."""
    with enable_grad():
        variables = _variables(inputs, create_graph)
        vectors = _vectors(v, variables, op)
        result = _scalar(func(*variables), op)
        first = _gradients([result], variables, None, True, strict)
        found = _gradients(first, variables, vectors, create_graph, strict)
    return _finish(result, create_graph), _finish(_as_given(found, inputs), create_graph)


def vhp(
    func: Callable[..., Any],
    inputs: Some,
    v: Some = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Some]:
    """What `func` returns, and `v` times its Hessian.

    >>> x, v = norch.tensor([1., 2.]), norch.tensor([1., 1.])
    >>> norch.autograd.functional.vhp(lambda x: (x ** 3).sum(), x, v)
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _vector_hessian("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Callable[..., Any],
    inputs: Some,
    v: Some = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Some]:
    """What `func` returns, and its Hessian times `v`: the same as `vhp`, as Hessians are symmetric.

    >>> x, v = norch.tensor([1., 2.]), norch.tensor([1., 1.])
    >>> norch.autograd.functional.hvp(lambda x: (x ** 3).sum(), x, v)
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _vector_hessian("hvp", func, inputs, v, create_graph, strict)
