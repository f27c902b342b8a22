"""Whether numbers agree: within some units in the last place.

judge.py asks; nothing here knows a library, but for how a tensor becomes an array.
"""

import math
import re

import numpy as np

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
# How many units in the last place of the largest element two right answers may lie apart: sums of
# thousands of terms in another order, functions with their own approximations.
ULPS = {"float64": 4096, "float32": 64, "float16": 16, "bfloat16": 16}

NEITHER = "nan or inf on both sides"


def array_of(tensor):
    """Return a tensor's numbers as an array that NumPy can compare."""
    tensor = tensor.detach()
    if "float16" in str(tensor.dtype):
        tensor = tensor.float()
    return tensor.numpy(force=True) if hasattr(tensor, "_is_zerotensor") else tensor.numpy()


def narrowed(a, kind):
    """Return numbers as a dtype holds them that may be narrower: those beyond it are infinite."""
    with np.errstate(all="ignore"):
        return a.astype({"bfloat16": "float32"}.get(kind, kind))


def close(a, b, kind, loose=1.0):
    """Return where two arrays of floats agree: within some units of the larger elements."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    scale = float(finite.max()) if finite.size else 0.0
    unit = EPS[kind] * ULPS[kind] * loose
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= unit * np.maximum(np.abs(b), scale * 0.25) + tiny(kind)
    return near | (a == b) | (np.isnan(a) & np.isnan(b))


def tiny(kind):
    """Return what rounding may leave where terms of size 1 cancel."""
    return EPS[kind] * 16


def roughest(call, kind):
    """Return the least precise floating dtype of a result, an input or a word of the call."""
    words = f"{kind} {call.text} {' '.join(r.dtype for r in call.recipes)}"
    words = words.replace("half", "float16").replace(".float()", "float32")
    words = re.sub(r"\blr\W+t\.tensor", "float32", words)  # a rate of single precision
    if not call.valid and re.search(r"\b(u?int\d+|bool)\b", words):
        words += "float32"  # what whole numbers become beside float64 depends on the order
    if call.head.startswith("compiled") and re.search(r"logical_not|[<>=]=|[<>]", call.text):
        words += "float32"  # what a bool becomes in a function, before it meets float64
    return next((k for k in ("bfloat16", "float16", "float32") if k in words), kind)


def has_nan(call):
    """Whether an input has a nan, where a derivative is anybody's choice."""
    return any(math.isnan(n) for r in call.recipes for n in r.pattern)


def gives_nan(call, side):
    """Whether a result has a nan."""
    parts = [p for p in side.run(call, backward=False).parts if hasattr(p, "detach")]
    return any(np.isnan(array_of(p).astype(np.float64)).any() for p in parts)


def nan_at(call, x, y):
    """Return where a gradient, or an input of its shape, is nan."""
    alike = [r.array().astype(float) for r in call.recipes if r.shape == x.shape]
    return np.any([np.isnan(a) for a in (x, y, *alike)], axis=0)


def far(x, y):
    """Return how far apart two arrays are, infinitely where only one is finite."""
    with np.errstate(all="ignore"):
        apart = np.abs(x.astype(np.float64) - y)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
    return np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf))


def near_by_cancelling(x, y, kind):
    """Return where two gradients differ by what may be left of terms of size 1 that cancel."""
    with np.errstate(all="ignore"):
        return np.abs(x.astype(np.float64) - y) <= EPS[kind] * ULPS[kind]


def no_number_in(x, y):
    """Return in words where elements that differ are infinite or nan; nothing where both have
    numbers.
    """
    finite = np.isfinite(x), np.isfinite(y)
    if not (finite[0] | finite[1]).any():
        return NEITHER
    return "" if finite[0].all() else "nan or inf"


def difference(x, y, good):
    """Return the first few numbers that differ, as text."""
    return f"{shown(x[~good])}, expected {shown(y[~good])}"


def shown(array):
    return str(array.ravel()[:4].tolist())
