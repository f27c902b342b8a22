"""Runs the calls of the tables with dimensions of size 0, in norch and in PyTorch.

A call is right with the inputs that stand beside it. Here each of their dimensions in turn is set
to 0, and all together; compared are the value or the class of the exception, whether there is a
graph, and the gradients. `test_parity_zero_sizes.py` calls it; nothing here knows an operation.
"""

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
    tensor_in,
)
from fuzz.generate import DRAWN
from modules import copy_state

import norch


def emptied(inputs):
    """Return the inputs "f3,4 i3" with each dimension in turn as 0, and all of them."""
    words = [(word[0], word[1:].split(",")) for word in inputs.split()]
    places = [(i, d) for i, (_, sizes) in enumerate(words) for d, n in enumerate(sizes) if n]
    found = [_written(words, {place}) for place in places] + [_written(words, set(places))]
    return [text for text in dict.fromkeys(found) if text != inputs]


def _written(words, zeros):
    """Return words with the sizes at `zeros`, pairs (input, dimension), as 0."""
    return " ".join(
        kind + ",".join("0" if (i, d) in zeros else size for d, size in enumerate(sizes))
        for i, (kind, sizes) in enumerate(words)
    )


def _call(library, text, inputs, with_gradient):
    """Return (value, error) of an expression, and the leaves that have a gradient."""
    tensors = [tensor_in(library, a) for a in arrays_of(inputs, text)]
    leaves = [x.requires_grad_() for x in learnable(tensors)] if with_gradient else []
    return outcome(library, text, tensors), leaves


def check_calls(text, inputs):
    """Yield (emptied inputs, what differs) of one expression that PyTorch takes as it stands."""
    import torch

    accepted = (g for g in (True, False) if _call(torch, text, inputs, g)[0][1] is None)
    with_gradient = next(accepted, None)  # some arguments of PyTorch have no derivative
    if with_gradient is None:
        return
    for empty in emptied(inputs):
        sides = [_call(library, text, empty, with_gradient) for library in (norch, torch)]
        yield empty, difference(*sides, text)


def check_module(text, inputs):
    """Yield the same of one module, parameters and buffers included."""
    import torch

    for empty in emptied(inputs):
        ours, theirs = (evaluate(library, text, []).double() for library in (norch, torch))
        copy_state(ours, theirs)
        sides = []
        for library, module in ((norch, ours), (torch, theirs)):
            tensors = [tensor_in(library, a) for a in arrays_of(empty, text)]
            leaves = [x.requires_grad_() for x in learnable(tensors)]
            leaves += [p for p in module.parameters() if p.requires_grad]
            sides.append((outcome(library, "x(*y)", [module, tensors]), leaves))
        states = [((dict(m.state_dict()), None), []) for m in (ours, theirs)]
        yield empty, difference(*sides, text) or difference(*states, "state_dict")


def difference(ours, theirs, what):
    """Return in a line how two sides ((value, error), leaves) differ; None if they do not."""
    try:
        _compare(*ours[0], ours[1], *theirs[0], theirs[1], what)
    except AssertionError as error:
        return " ".join(str(error).split())
    except Exception as error:  # norch refuses what PyTorch takes, or in its backward pass
        return f"{type(error).__name__}: {error}"
    return None


def _compare(value, refused, leaves, expected, error, their_leaves, what):
    """Compare values or errors, then gradients."""
    import torch

    if error is not None:
        return same_error(refused, error, what)
    if refused is not None:
        raise refused
    if DRAWN.search(what):  # the numbers are nobody's promise
        value, expected = (
            [p.detach() * 0 if is_tensor(p) else p for p in parts_of(side)]
            for side in (value, expected)
        )
        return same(value, expected, what)
    same(value, expected, what)
    if not leaves:
        return None
    wanted = [is_tensor(p) and p.requires_grad for p in parts_of(expected)]
    given = [is_tensor(p) and p.requires_grad for p in parts_of(value)]
    assert given == wanted, f"graph: {given}, PyTorch: {wanted}"
    try:
        known = filled(gradients(torch, expected, their_leaves), their_leaves)
    except (NotImplementedError, RuntimeError):
        return None  # PyTorch has no derivative here
    return same(filled(gradients(norch, value, leaves), leaves), known, "gradient")
