"""spawn: one function in several processes of this machine, without a launcher.

Users know it as `norch.multiprocessing.spawn`. The processes are Python's own; they become the
ranks of a process group when `fn` calls `init_process_group` with its rank and the world's size
(see `rendezvous`). One that fails ends the others.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import Any

GRACE_SECONDS = 10.0
"""How long a process that was told to end (SIGTERM) may take before it is killed."""


class ProcessException(RuntimeError):
    """A process of `spawn` failed: number `error_index`, whose id was `error_pid`."""

    def __init__(self, message: str, error_index: int, error_pid: int) -> None:
        super().__init__(message)
        self.error_index = error_index
        self.error_pid = error_pid


class ProcessRaisedException(ProcessException):
    """It raised; the message holds its traceback."""


class ProcessExitedException(ProcessException):
    """It ended otherwise: with an `exit_code`, or by the signal of `signal_name`."""

    def __init__(self, message: str, error_index: int, error_pid: int, exit_code: int) -> None:
        super().__init__(message, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal.Signals(-exit_code).name if exit_code < 0 else None


class ProcessContext:
    """The processes of one `start_processes`."""

    def __init__(self, processes: Sequence[Any], errors: Sequence[Any]) -> None:
        self.processes = list(processes)
        self._errors = errors
        self._running = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Return the processes' ids."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait until some end, at most `timeout` seconds; return whether all have.

        The first that failed, or an exception here, ends the others.
        """
        try:
            for sentinel in wait(list(self._running), timeout) if self._running else ():
                i = self._running.pop(sentinel)
                self.processes[i].join()
                if self.processes[i].exitcode:
                    raise self._failure(i)
        except BaseException:
            end_processes([self.processes[i] for i in self._running.values()])
            raise
        return not self._running

    def _failure(self, i: int) -> ProcessException:
        """Return the error that says how process `i` of the spawn failed."""
        process, error = self.processes[i], self._errors[i]
        if not error.empty():
            return ProcessRaisedException(
                f"[spawn] process {i} raised\n{error.get()}", i, process.pid
            )
        return ProcessExitedException(
            f"[spawn] process {i} ended with exit code {process.exitcode}",
            *(i, process.pid, process.exitcode),
        )


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call `fn(i, *args)` in `nprocs` processes, i from 0, and wait until all are done.

    ProcessRaisedException with its traceback, or ProcessExitedException, where one fails; the
    others are ended. Without `join` the context is returned, whose `join` waits. As in Python's
    multiprocessing, `fn` must stand at the top of a module, and the call under
    `if __name__ == "__main__":`, unless `start_method` is "fork".
    Source: `torch.multiprocessing.start_processes`.
    """
    if not isinstance(nprocs, int) or nprocs < 0:
        raise ValueError(f"[spawn] nprocs must be a whole number, 0 or more, not {nprocs!r}")
    maker = multiprocessing.get_context(start_method)
    errors = [maker.SimpleQueue() for _ in range(nprocs)]
    processes = [
        maker.Process(target=_run_process, args=(fn, i, args, errors[i]), daemon=daemon)  # type: ignore[attr-defined]
        for i in range(nprocs)
    ]
    for process in processes:
        process.start()
    context = ProcessContext(processes, errors)
    while join and not context.join():
        pass
    return None if join else context


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Do `start_processes`, in fresh Pythons. Source: `torch.multiprocessing.spawn`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def _run_process(fn: Callable[..., Any], i: int, args: tuple[Any, ...], error: Any) -> None:
    """Run `fn` in a process of spawn: an exception goes to the parent, which ends the others."""
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        os._exit(130)
    except Exception:
        error.put(traceback.format_exc())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)  # the other ranks of a group are ended, not told


def end_processes(processes: Sequence[Any]) -> None:
    """Tell the processes of a spawn to end, and kill those that do not."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + GRACE_SECONDS
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()
