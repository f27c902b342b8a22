"""Anomaly mode: where did the NaN come from?

While it is on, every operation notes the line of the program that called it. A backward pass then
stops at the first node that answers NaN, and names the node and that line. It costs time: turn it
on to look for a mistake, and off again.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

from norch_autograd.graph.hooks import Watcher, watchers
from norch_autograd.graph.node import Node
from norch_autograd.graph.operands import raw

_HERE = str(Path(__file__).parents[1])


class Anomalies(Watcher):
    """Notes who called each operation, and looks at what comes back."""

    def __init__(self, check_nan: bool) -> None:
        self.check_nan = check_nan
        self._calls: WeakKeyDictionary[Node, traceback.StackSummary] = WeakKeyDictionary()

    def on_record(self, node: Node) -> None:
        """Note the lines of the program that led to a node, those of this package left out."""
        frames = traceback.extract_stack()
        outside = [frame for frame in frames if not frame.filename.startswith(_HERE)]
        self._calls[node] = traceback.StackSummary.from_list(outside)

    def on_backward(self, node: Node, grad: Any, seconds: float, parts: Any) -> None:
        """Refuse NaN among the gradients that a node returned."""
        if not self.check_nan:
            return
        for i, part in enumerate(parts):
            if _has_nan(raw(part)):
                raise RuntimeError(
                    f"[backward] Function '{node.name()}' returned nan values in its {i}th output. "
                    f"{self._call_of(node)}"
                )

    def on_error(self, node: Node, error: Exception) -> None:
        """Say beside any error which call of the forward pass it belongs to."""
        error.add_note(f"Error detected in {node.name()}. {self._call_of(node)}")

    def _call_of(self, node: Node) -> str:
        """The forward call of a node in words, the program's own line last."""
        frames = self._calls.get(node)
        if frames is None:
            return "The forward call was made before anomaly mode was on."
        return "Traceback of the forward call:\n" + "".join(frames.format()).rstrip()


def _has_nan(array: Any) -> bool:
    """Whether an element is NaN; None, and what nodes of several outputs pass on, has none."""
    if not hasattr(array, "dtype") or not array.dtype.is_floating_point or not array.numel:
        return False
    return bool(array.ops.any(array.ops.isnan(array)).item())


def _current() -> Anomalies | None:
    """The watcher of anomaly mode, if that is on."""
    return next((w for w in watchers if isinstance(w, Anomalies)), None)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on.

    >>> is_anomaly_enabled()
    False
    """
    return _current() is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN, as it does unless told not to.

    >>> is_anomaly_check_nan_enabled()
    True
    """
    current = _current()
    return current is None or current.check_nan


class set_detect_anomaly:
    """Switch anomaly mode on or off: at once when called, and back at the end of a `with` block.

    >>> x = norch.tensor([0.], requires_grad=True)
    >>> with norch.autograd.set_detect_anomaly(True):
    ...     y = (x * 0).sqrt() * 0
    ...     y.backward()
    Traceback (most recent call last):
      ...
    RuntimeError: [backward] Function 'SqrtBackward0' returned nan values in its 0th output. ...
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._found = _current()
        _switch(Anomalies(check_nan) if mode else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _switch(self._found)


class detect_anomaly:
    """Anomaly mode for a `with` block: a backward pass that meets NaN raises RuntimeError, which
    names the function and the line of the forward call.

    >>> with norch.autograd.detect_anomaly():
    ...     norch.is_anomaly_enabled()
    True
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._found: list[Anomalies | None] = []

    def __enter__(self) -> Self:
        self._found.append(_current())
        _switch(Anomalies(self._check_nan))
        return self

    def __exit__(self, *_: object) -> None:
        _switch(self._found.pop())


def _switch(wanted: Anomalies | None) -> None:
    """Let `wanted` be the watcher of anomaly mode, in place of the one that is on."""
    watchers[:] = [w for w in watchers if not isinstance(w, Anomalies)]
    if wanted is not None:
        watchers.append(wanted)
