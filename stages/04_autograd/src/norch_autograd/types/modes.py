"""Grad mode: is what happens now being recorded for a later backward? And is it fused?

`mode.enabled` is read by every operation (graph.py), `mode.composite` by every fused one; only the
switches of this file write them. They restore what they found on any exit, exceptions included, and
work as decorators too. The mode belongs to the thread that sets it.
"""

from __future__ import annotations

import threading
from typing import Any


class _Mode(threading.local):
    """What this thread is doing; the class attributes are what a new thread starts with."""

    enabled = True
    inference = False
    composite = False
    on_arrays = False  # inside a backward pass that hands on arrays: see Node in node.py
    autocast: Any = None  # autocast.Settings inside an autocast
    packers: tuple[Any, ...] = ()  # see saved.py
    packing_refused: str | None = None
    devices: tuple[str, ...] = ("cpu",)  # the default of new tensors, then one a `with device`


mode = _Mode()
