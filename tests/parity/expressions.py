"""Compares one expression in both libraries: its values in a layout and a dtype, its gradients."""

from compare import (
    arrays_of,
    evaluate,
    filled,
    gradients,
    is_tensor,
    learnable,
    outcome,
    parts_of,
    same,
    same_error,
    second,
    tensor_in,
)

import norch


def check_forward(text, inputs, layout="plain", dtype=None):
    """Values, shapes and dtypes, or the class of the exception."""
    import torch

    arrays = arrays_of(inputs, text)
    floats = [a.dtype.kind == "f" for a in arrays]

    def tensors(library):
        return [
            tensor_in(library, a, layout, dtype if is_float else None)
            for a, is_float in zip(arrays, floats, strict=True)
        ]

    ours, refused = outcome(norch, text, tensors(norch))
    theirs, error = outcome(torch, text, tensors(torch))
    if error is not None:
        return same_error(refused, error, text)
    if refused is not None:
        raise refused
    return same(ours, theirs, text)


def check_gradients(text, inputs, layout="plain"):
    """The first and the second derivatives of every floating-point input, in float64."""
    import torch

    results = []
    for library in (torch, norch):
        tensors = [tensor_in(library, a, layout) for a in arrays_of(inputs, text)]
        leaves = [x.requires_grad_() for x in learnable(tensors)]
        try:
            value = evaluate(library, text, tensors)
        except (RuntimeError, IndexError, TypeError, ValueError):
            if library is torch:
                return  # test_values compares the refusals
            raise
        results.append((leaves, value))
    (their_leaves, theirs), (leaves, ours) = results
    wanted = [is_tensor(p) and p.requires_grad for p in parts_of(theirs)]
    given = [is_tensor(p) and p.requires_grad for p in parts_of(ours)]
    assert given == wanted, f"requires_grad of {text}: {given}, PyTorch: {wanted}"
    try:
        their_firsts = gradients(torch, theirs, their_leaves, create_graph=True)
    except (NotImplementedError, RuntimeError):
        return  # PyTorch has no derivative here
    if their_firsts is None:
        return
    firsts = gradients(norch, ours, leaves, create_graph=True)
    same(
        filled(firsts, leaves), filled(their_firsts, their_leaves), f"gradient of {text}", loose=10
    )
    if inputs.startswith("h"):
        return  # at a corner the second derivative is anybody's choice
    try:
        their_seconds = second(torch, their_firsts, their_leaves)
    except (NotImplementedError, RuntimeError):
        return  # PyTorch has no second derivative here
    same(second(norch, firsts, leaves), their_seconds, f"second gradient of {text}", loose=100)
