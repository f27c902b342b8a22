"""Who wants to know what is recorded and what is walked: anomaly mode and the profiler.

The record and the engine look here once for each node; in ordinary times the list is empty.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any


class Watcher:
    """What is told; a subclass answers what it wants to know."""

    def made(self, node: Any) -> None:
        """A node was recorded."""

    def ran(self, node: Any, grad: Any, seconds: float, grads: Any) -> None:
        """A node was walked: it was given `grad`, took so long and returned `grads`."""

    def failed(self, node: Any, error: Exception) -> None:
        """A node raised an error while it was walked."""


watchers: list[Watcher] = []


def announce(node: Any) -> None:
    """Tell of a new node."""
    for watcher in watchers:
        watcher.made(node)


def run_watched(node: Any, backward: Any, grad: Any) -> Any:
    """`backward(grad)`, the node's own, and tell what came of it."""
    start = perf_counter()
    try:
        grads = backward(grad)
    except Exception as error:
        for watcher in watchers:
            watcher.failed(node, error)
        raise
    seconds = perf_counter() - start
    for watcher in watchers:
        watcher.ran(node, grad, seconds, grads)
    return grads
