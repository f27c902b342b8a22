"""Compares one case in both libraries: an expression, a module, or a few lines of Python.

Of an expression: values in a layout and a dtype, gradients. Of a module: repr, state_dict, outputs
in both modes, gradients. Of a program: the value of its last line. It knows t (the library), nn, F,
and these helpers: row and filled give the same numbers in both, refusal and warned say what a call
raises or warns of.
"""

import ast
import collections
import copy
import io
import math
import pickle
import warnings

import numpy as np
from compare import (
    arrays_of,
    evaluate,
    filled,
    gradients,
    is_tensor,
    learnable,
    numpy_of,
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


def both(text):
    """Return both libraries' module in float64, norch's with the values of PyTorch's."""
    import torch

    torch.manual_seed(0)
    theirs = evaluate(torch, text, []).double()
    ours = evaluate(norch, text, []).double()
    return ours, theirs


def copy_state(ours, theirs):
    """Give norch's module PyTorch's values, through a strict load_state_dict."""
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state), "keys of the state_dict"
    copied = {
        name: norch.from_numpy(np.array(numpy_of(value))).to(ours.state_dict()[name].dtype)
        for name, value in state.items()
    }
    for name, value in ours.state_dict().items():
        assert str(value.dtype)[6:] == str(state[name].dtype)[6:], f"dtype of {name}"
    ours.load_state_dict(copied)


def call(library, module, arrays):
    """Return the output of a module, and the leaves that have a gradient."""
    tensors = [tensor_in(library, a, "permuted") for a in arrays]
    leaves = [x.requires_grad_() for x in learnable(tensors)]
    return module(*tensors), [*leaves, *(p for p in module.parameters() if p.requires_grad)]


def check_module(text, inputs):
    """Compare both modules in every respect."""
    import torch

    ours, theirs = both(text)
    assert repr(ours) == repr(theirs), f"{ours!r} not {theirs!r}"
    names = [name for name, _ in theirs.named_parameters()]
    assert [name for name, _ in ours.named_parameters()] == names, "named_parameters"
    copy_state(ours, theirs)
    arrays = arrays_of(inputs, text)
    for training in (True, False):
        ours.train(training), theirs.train(training)
        (value, leaves), (expected, their_leaves) = (
            call(norch, ours, arrays),
            call(torch, theirs, arrays),
        )
        what = f"{text} in {'training' if training else 'evaluation'}"
        same(value, expected, what)
        firsts = gradients(torch, expected, their_leaves, create_graph=True)
        if firsts is not None:
            compare_gradients(value, leaves, firsts, their_leaves, what)
    same(dict(ours.state_dict()), dict(theirs.state_dict()), f"state_dict of {text}")


def compare_gradients(value, leaves, their_firsts, their_leaves, what):
    """Compare first and second derivatives in inputs and parameters."""
    import torch

    firsts = gradients(norch, value, leaves, create_graph=True)
    same(filled(firsts, leaves), filled(their_firsts, their_leaves), f"gradient of {what}", 10)
    try:
        seconds = second(torch, their_firsts, their_leaves)
    except (NotImplementedError, RuntimeError):
        return  # PyTorch has no second derivative here
    same(second(norch, firsts, leaves), seconds, f"second gradient of {what}", 100)


PLAIN = {
    "collections": collections,
    "copy": copy,
    "io": io,
    "math": math,
    "pickle": pickle,
    "warnings": warnings,
}


def refusal(call, *args, **kwargs):
    """Return the name of PyTorch's exception that a call raises, None if it raises nothing."""
    try:
        call(*args, **kwargs)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return next(kind for kind in kinds if kind != "DTypeError")
    return None


def warned(call, *args, **kwargs):
    """Return the names of the warnings of a call."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(*args, **kwargs)
    return [entry.category.__name__ for entry in seen]


def helpers(library):
    """Return what a program may use beside the library."""

    def row(*shape):
        count = math.prod(shape)
        return library.from_numpy(np.cos(0.7 * np.arange(count))).reshape(shape)

    def filled(module):
        """Give a module in float64 the same numbers in both libraries."""
        module = module.double()
        with library.no_grad():
            for i, p in enumerate(module.parameters()):
                p.copy_((row(*p.shape) * 1.3 + 0.1 * i).sin() * 0.5)
        return module

    def slopes(result, *leaves):
        return library.autograd.grad(result.pow(2).sum(), leaves, retain_graph=True)

    return {
        "t": library,
        "nn": library.nn,
        "F": library.nn.functional,
        "row": row,
        "filled": filled,
        "slopes": slopes,
        "refusal": refusal,
        "warned": warned,
        **PLAIN,
    }


def last_value(library, text):
    """Return the value of the program's last line."""
    tree = ast.parse(text)
    names = helpers(library)
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "program", "exec"), names)
    return eval(compile(last, "program", "eval"), names)


def check_program(text):
    """Compare what both libraries make of the program."""
    import torch

    same(last_value(norch, text), last_value(torch, text), text.partition("\n")[0], loose=3)
