"""Where every random stream of this process stands: norch's, Python's and, where used, NumPy's.

Plain numbers and tensors, so that a checkpoint can hold them and no file is ever executed.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from norch_autograd import get_rng_state, set_rng_state, tensor


def random_state() -> dict[str, Any]:
    """Return where the streams stand."""
    version, words, gauss = random.getstate()
    state = {"norch": get_rng_state(), "python": (version, tensor(list(words)), gauss)}
    if "numpy" in sys.modules:
        name, keys, *rest = sys.modules["numpy"].random.get_state()
        state["numpy"] = (name, tensor([int(key) for key in keys]), *(float(x) for x in rest))
    return state


def set_random_state(state: dict[str, Any]) -> None:
    """Return the streams to where they stood.

    >>> state = random_state()
    >>> first = random.random()
    >>> set_random_state(state); random.random() == first
    True
    """
    set_rng_state(tuple(state["norch"]))
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words.tolist()), gauss))
    if "numpy" in state:
        import numpy

        name, keys, place, has_gauss, cached = state["numpy"]
        words = numpy.array(keys.tolist(), dtype=numpy.uint32)
        numpy.random.set_state((name, words, int(place), int(has_gauss), cached))
