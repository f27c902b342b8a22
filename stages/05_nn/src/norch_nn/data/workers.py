"""Workers: the processes of one DataLoader, seen from the main process.

Task k goes to worker k mod n and answers are read in the order of the tasks, so the order of the
batches is that of the sampler. Each worker has a connection of its own, so one
that is killed leaves the others whole.
"""

from __future__ import annotations

import os
import signal
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

import norch_cpu_ops
from norch_nn.data.start import (
    GUARD,
    NAME,
    UNGUARDED,
    check_main_is_guarded,
    find_context,
    job_in_bytes,
    start,
)
from norch_nn.data.worker import BATCH, END, GRACE, Job, dumps, loads, run_worker

NO_TASK = object()
OPEN: weakref.WeakSet[Connection] = weakref.WeakSet()  # our ends of all connections


def _close_copies() -> None:
    """In a forked process: a copy of our end would keep a data worker from seeing us close."""
    for connection in list(OPEN):
        connection.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_copies)


class Worker(NamedTuple):
    """One process and our end of its connection."""

    process: Any
    connection: Connection


class Workers:
    """`num_workers` processes that make batches; iterate over `batches(tasks)`."""

    def __init__(
        self,
        job: Job,
        num_workers: int,
        prefetch_factor: int,
        timeout: float,
        seed: int,
        context: Any,
    ) -> None:
        """Start the processes."""
        context = find_context(context)
        self._method = context.get_start_method()
        message = None
        if self._method != "fork":
            check_main_is_guarded()
            message = job_in_bytes(job, self._method)
        self.ahead = num_workers * prefetch_factor
        self.timeout = timeout
        self.epoch = 0
        self.workers: list[Worker] = []
        self._finalizer = weakref.finalize(self, _stop, self.workers)
        with one_thread():
            for number in range(num_workers):
                told = (job if message is None else None, number, num_workers, seed + number)
                self.workers.append(self._start(context, told))
        if message is not None:
            for number in range(num_workers):
                self._send(number, message)

    def _send(self, number: int, message: bytes) -> None:
        """Send a worker a message, or raise the error that says how it ended."""
        try:
            self.workers[number].connection.send_bytes(message)
        except OSError:
            raise self._death(number) from None

    def _start(self, context: Any, told: tuple[Any, ...]) -> Worker:
        """Start one worker process; it shares nothing with its siblings."""
        ours, theirs = context.Pipe()
        OPEN.add(ours)
        process = context.Process(
            target=run_worker, args=(theirs, *told), name=f"{NAME}{len(self.workers)}", daemon=True
        )
        start(process)
        theirs.close()  # else we would hold the connection open after the worker's death
        return Worker(process, ours)

    @property
    def alive(self) -> bool:
        """Whether the worker processes were not ended yet."""
        return self._finalizer.alive

    def close(self) -> None:
        """End the worker processes."""
        self._finalizer()

    def batches(self, tasks: Iterable[Any], keep: bool) -> Iterator[Any]:
        """Yield the batch of each task, in order; close at the end unless told to `keep`."""
        self.epoch += 1
        try:
            yield from self._in_order(iter(tasks), self.epoch)
        finally:
            if not keep:
                self.close()

    def _in_order(self, tasks: Iterator[Any], epoch: int) -> Iterator[Any]:
        """Keep `ahead` tasks under way and yield the answers in the order of the tasks."""
        turns = deque(range(len(self.workers)))  # who gets the next task
        waiting: deque[int] = deque()  # who answers next
        # ex 5.18 begin
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
        # ex 5.18 end

    def _hand_out(
        self, tasks: Iterator[Any], epoch: int, turns: deque[int], waiting: deque[int]
    ) -> None:
        """Give the next task, if there is one, to the worker whose turn it is."""
        if not turns or (task := next(tasks, NO_TASK)) is NO_TASK:
            return
        number = turns[0]
        turns.rotate(-1)
        self._send(number, dumps((epoch, task)))
        waiting.append(number)

    def _receive(self, number: int, epoch: int) -> tuple[str, Any]:
        """Return the next answer of a worker; older ones were meant for a loop that was left."""
        while True:
            if self.epoch != epoch:
                raise RuntimeError(
                    "[DataLoader] persistent workers serve one loop at a time: "
                    "another loop over this loader has begun"
                )
            answered, kind, content = loads(self._read(number))
            if answered == epoch:
                return kind, content

    def _read(self, number: int) -> bytes:
        """Wait for a message of a worker, but not longer than the timeout, and not for the dead."""
        process, connection = self.workers[number]
        ready = wait([connection, process.sentinel], self.timeout or None)
        if not ready:
            process.kill()  # it would not hear that we close
            self.close()
            raise RuntimeError(
                f"[DataLoader] worker {number} (pid {process.pid}) did not answer in "
                f"{self.timeout} seconds: raise the timeout, or look for what it waits for"
            )
        try:
            if connection.poll():
                return connection.recv_bytes()
        except (EOFError, OSError):
            pass
        raise self._death(number)

    def _death(self, number: int) -> RuntimeError:
        """Return the error that says how a worker ended; the others end too."""
        process = self.workers[number].process
        process.join(GRACE)
        code = process.exitcode
        self.close()
        if code == UNGUARDED and self._method != "fork":
            return RuntimeError(GUARD)
        if code is not None and code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
            advice = "is the memory full? try fewer workers"
        else:
            how, advice = f"ended with exit code {code}", "what it printed may say why"
        return RuntimeError(f"[DataLoader] worker {number} (pid {process.pid}) {how}: {advice}")


@contextmanager
def one_thread() -> Iterator[None]:
    """Put the threads of the kernels away while data workers are forked, and bring them back."""
    threads = norch_cpu_ops.get_num_threads()
    norch_cpu_ops.set_num_threads(1)
    try:
        yield
    finally:
        norch_cpu_ops.set_num_threads(threads)


def _stop(workers: list[Worker]) -> None:
    """Close all connections, which ends the workers, and wait for them; kill who does not end."""
    for worker in workers:
        worker.connection.close()
    for worker in workers:
        worker.process.join(GRACE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


class Lines(str):
    """A data worker's message of several lines, which KeyError would show on one."""

    def __repr__(self) -> str:
        return str(self)


def _raise_again(number: int, kind: type[BaseException], text: str) -> None:
    """Raise an error of the kind a worker met, with the worker's traceback."""
    message = Lines(f"[DataLoader] {kind.__name__} in worker {number}. There it was:\n{text}")
    try:
        error = kind(message)
    except Exception:  # a class whose errors take other arguments
        error = RuntimeError(message)
    raise error
