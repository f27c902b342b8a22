"""What this thread is doing: one object, read by the record, the engine and the creation functions.

Only context managers write it (grad_mode.py, inference_mode.py, composite.py, saved_tensors.py,
autocast.py, device.py and the engine's `BackwardPass`), and each restores what it found. No
operation reads it.
"""

from __future__ import annotations

import threading
from typing import Any

from norch_autograd.types.core import in_core


@in_core
class Mode(threading.local):
    """What this thread is doing; the class attributes are what a new thread starts with."""

    enabled = True
    inference = False
    composite = False
    on_arrays = False  # inside a backward pass that hands on arrays: see `saved` in graph/node.py
    autocast: Any = None  # autocast.Settings inside an autocast
    packers: tuple[Any, ...] = ()  # see graph/saved_tensors.py
    packing_refused: str | None = None
    devices: tuple[str, ...] = ("cpu",)  # the default of new tensors, then one a `with device`


mode = Mode()
