"""One side of a comparison: a library, how a call's inputs reach it, and what the call gives there.

judge.py compares two of them, proofs.py runs rewritten calls on both.
"""

import functools
import inspect
import math
import time
import warnings
from typing import NamedTuple

import numpy as np
from compare import is_tensor, parts_of

from fuzz.generate import NAMES
from fuzz.helpers import helpers


class Outcome(NamedTuple):
    """What a call gave on one side."""

    error: Exception | None
    parts: list  # leaves of the result
    inputs: list  # the inputs after the call
    grads: list | None
    seconds: float
    failed_backward: Exception | None = None


class Side:
    """A library, and how inputs reach it: `plain` with contiguous copies, or in another dtype.

    `reference` says that what norch has two ways for goes the plain one: functions run uncompiled.
    """

    def __init__(self, library, plain=False, dtype=None, reference=False):
        self.library, self.plain, self.dtype = library, plain, dtype
        self.helpers = helpers(library, dtype, plain or reference)

    def inputs(self, call):
        """Return the call's tensors."""
        recipes = [r.plain() if self.plain else r for r in call.recipes]
        kind = self.dtype and getattr(self.library, self.dtype)
        return [r.build(self.library, kind) for r in recipes]

    def run(self, call, backward=True):
        """Return the outcome of a call, with gradients of what requires them."""
        library = self.library
        tensors = self.inputs(call)
        names = {**self.helpers, **dict(zip(NAMES, tensors, strict=False))}
        if call.drawn:
            library.manual_seed(0)
        start = time.process_time()
        try:
            value = eval(code_of(call.text), names)
            parts = parts_of(materialized(value))
        except Exception as error:
            return Outcome(error, [], tensors, None, time.process_time() - start)
        grads, failed = None, None
        if backward and any(r.grad for r in call.recipes):
            try:
                grads = self.gradients(parts, tensors)
            except Exception as error:
                failed = error
        return Outcome(None, parts, tensors, grads, time.process_time() - start, failed)

    def gradients(self, parts, tensors):
        """Return the gradients of the inputs for fixed cotangents; None if none is wanted."""
        outputs = [p for p in parts if is_tensor(p) and p.requires_grad]
        leaves = [x for x in tensors if x.requires_grad and x.is_leaf]
        if not outputs or not leaves:
            return None
        weights = [cotangent(self.library, p) for p in outputs]
        return list(self.library.autograd.grad(outputs, leaves, weights, allow_unused=True))


def cotangent(library, output):
    """Return a fixed cotangent of an output's shape and dtype."""
    shape = tuple(output.shape)
    row = np.cos(0.7 * np.arange(min(math.prod(shape), 61)) + 0.3)
    return library.from_numpy(np.resize(row, shape)).to(output.dtype)


@functools.lru_cache(20_000)
def code_of(text):
    """Return the code of a call's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(text, "call", "eval")


def materialized(value):
    """Return what an iterator gives, at most 50 of it; anything else unchanged."""
    if inspect.isgenerator(value) or type(value).__name__ in ("map", "zip", "list_iterator"):
        return [item for item, _ in zip(value, range(50), strict=False)]
    return value
