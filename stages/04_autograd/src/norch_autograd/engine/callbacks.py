"""What is to be called when the running backward pass ends: stage 6 waits for its messages there.

`backward` opens a pass; hooks inside it may queue callbacks. They run once, after the last gradient
has been written, and only if the pass did not fail; a callback that raises makes the pass fail.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class _Running(threading.local):
    """The passes that this thread is in, outermost first; each is the list of its callbacks."""

    def __init__(self) -> None:
        self.passes: list[list[Callable[[], None]]] = []


_running = _Running()


class backward_pass:
    """Around a pass: run what was queued inside."""

    __slots__ = ("_passes",)

    def __enter__(self) -> None:
        self._passes = _running.passes
        self._passes.append([])

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        try:
            if failed is None:
                for callback in self._passes[-1]:
                    callback()
        finally:
            self._passes.pop()


def queue_callback(callback: Callable[[], None]) -> None:
    """Call `callback()` at the end of the backward that is running; for use in hooks.

    >>> x = norch.ones(2, requires_grad=True)
    >>> hook = lambda leaf: norch.autograd.queue_callback(lambda: print("all written"))
    >>> handle = x.register_post_accumulate_grad_hook(hook)
    >>> x.sum().backward()
    all written
    """
    if not _running.passes:
        raise RuntimeError("[queue_callback] no backward is running: call it from a gradient hook")
    _running.passes[-1].append(callback)
