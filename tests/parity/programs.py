"""Runs a few lines of Python in both libraries; the value of the last line is compared.

A program knows t (the library), nn, F, and these helpers: row and filled give the same numbers in
both, refusal and warned say what a call raises or warns of.
"""

import ast
import collections
import copy
import io
import math
import pickle
import warnings

import numpy as np
from compare import same

import norch

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


def outcome(library, text):
    """Return the value of the program's last line."""
    tree = ast.parse(text)
    names = helpers(library)
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "program", "exec"), names)
    return eval(compile(last, "program", "eval"), names)


def check_program(text):
    """Compare what both libraries make of the program."""
    import torch

    same(outcome(norch, text), outcome(torch, text), text.partition("\n")[0], loose=3)
