"""Runs the fuzzer on a norch with planted faults, beside the right one: for tests/test_fuzz.py.

Each function of FAULTS does something else wrong, and only to tensors with a dimension of 17, so
that the fault has to be found among calls that are right, and shrunk to that one thing.
"""

import os
import types
import warnings

import norch
from fuzz.__main__ import fuzz, report
from fuzz.explained import explain
from fuzz.generate import Generator
from fuzz.judge import Judge

HELD = []


def crash(x):
    os.abort()


def hang(x):
    while True:
        pass


def memory(x):
    HELD.append(b"x" * 2**26)
    return norch.cos(x)


def value(x):
    return norch.tan(x) * 1.001


class SteepExp(norch.autograd.Function):
    """exp with a derivative that is too large."""

    @staticmethod
    def forward(ctx, x):
        y = norch.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0] * 1.5


def edit(x):
    y = norch.tanh(x)
    with norch.no_grad():
        x.mul_(3)
    return y


def inner(x):
    raise KeyError("inner")


FAULTS = {
    "neg": crash,
    "sin": hang,
    "cos": memory,
    "tan": value,
    "exp": SteepExp.apply,
    "tanh": edit,
    "atan": inner,
}


def planted(name):
    """Return a function of norch with its fault."""
    right, fault = getattr(norch, name), FAULTS[name]
    return lambda x: (fault if 17 in x.shape else right)(x)


def main():
    """Plant the faults in a copy of the library's names, and fuzz the functions that have them."""
    faulty = types.ModuleType("norch")
    vars(faulty).update(vars(norch))
    vars(faulty).update({name: planted(name) for name in FAULTS})
    judge = Judge(faulty, norch, explain, storm=2**25, patience=0.4)
    generator = Generator(norch, seed=1, only=rf"^t\.({'|'.join(FAULTS)})\(x\)$")
    total, groups = fuzz(judge, generator, seconds=600, calls=1000)
    report(total, groups, 1.0, None)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
