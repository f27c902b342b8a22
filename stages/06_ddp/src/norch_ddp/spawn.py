"""spawn: one function in several processes of this machine, without a launcher.

Users know it as `norch.multiprocessing.spawn`. The processes are Python's own; they are not the
ranks of a process group, which `python -m norch.distributed.run` starts.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import Any


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Any:
    """Call `fn(i, *args)` in `nprocs` processes, i from 0, and wait until all are done.

    RuntimeError where one fails: its traceback is on the terminal, and the others are ended.
    Without `join` the started processes are returned, and nobody waits. As in Python's
    multiprocessing, `fn` must stand at the top of a module, and the call under
    `if __name__ == "__main__":`. Source: `torch.multiprocessing.spawn`.
    """
    if not isinstance(nprocs, int) or nprocs < 0:
        raise ValueError(f"[spawn] nprocs must be a whole number, 0 or more, not {nprocs!r}")
    context = multiprocessing.get_context(start_method)
    processes = [
        context.Process(target=fn, args=(i, *args), daemon=daemon)  # type: ignore[attr-defined]
        for i in range(nprocs)
    ]
    for process in processes:
        process.start()
    if not join:
        return processes
    _join(processes)
    return None


def _join(processes: Sequence[Any]) -> None:
    """Wait for all; the first that fails, or an exception here, ends the others."""
    running = {process.sentinel: (i, process) for i, process in enumerate(processes)}
    try:
        while running:
            for sentinel in wait(list(running)):
                i, process = running.pop(sentinel)
                process.join()
                if process.exitcode:
                    raise RuntimeError(
                        f"[spawn] process {i} ended with exit code {process.exitcode}: "
                        "its traceback stands above"
                    )
    finally:
        for _, process in running.values():
            process.terminate()
            process.join()
