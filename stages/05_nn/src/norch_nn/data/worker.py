"""What runs in a worker process: take a task, make the batch, send it back, until told to stop.

workers.py starts it. A worker ends when the main process closes the connection, or dies: then the
connection ends too. It leaves interrupts from the keyboard to the main process.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import norch_cpu_ops
from norch_autograd import Tensor, manual_seed
from norch_cpu_ops import DType
from norch_nn.data.collate import batch_fetcher, call, sample_fetcher, stream
from norch_nn.data.worker_info import WorkerInfo, set_worker_info
from norch_nn.serialization.files import elements_of, from_bytes

BATCH, END, ERROR = "batch", "end", "error"
OVER = object()  # after the last batch of a stream
FORK = 'or pass multiprocessing_context="fork"'
GRACE = 3.0  # seconds to finish a sample when the main process is gone


class Pickler(pickle.Pickler):
    """A pickler of messages to and from data workers: it writes the memory of tensors."""

    def reducer_override(self, obj: Any) -> Any:
        """Say how a tensor in a data worker's message is written; leave the rest to pickle."""
        if not isinstance(obj, Tensor):
            return NotImplemented
        return _rebuild_tensor, (type(obj), bytes(elements_of(obj)), obj.dtype, tuple(obj.shape))


def _rebuild_tensor(
    kind: type[Tensor], data: bytes, dtype: DType, shape: tuple[int, ...]
) -> Tensor:
    """Make a tensor that a DataLoader or its worker process sent, on the CPU."""
    tensor = from_bytes(data, dtype, shape)
    return tensor if kind is Tensor else kind(tensor)


def dumps(obj: Any) -> bytes:
    """Return a message to or from a DataLoader's worker, tensors in it included, as bytes.

    >>> loads(dumps([norch.tensor([1.0, 2.0]), "a"]))
    [tensor([1., 2.]), 'a']
    """
    file = io.BytesIO()
    Pickler(file, protocol=5).dump(obj)
    return file.getvalue()


loads = pickle.loads


class Job(NamedTuple):
    """What every worker of a loader is told: the dataset, and how to make batches of it."""

    dataset: Any
    collate_fn: Callable[[Any], Any] | None
    batched: bool
    is_stream: bool
    batch_size: int | None
    drop_last: bool
    worker_init_fn: Callable[[int], Any] | None


def run_worker(connection: Connection, job: Job | None, number: int, count: int, seed: int) -> None:
    """Run worker process `number` of `count` of a DataLoader, until it is told to stop.

    A new process has no `job`: it is its first message. Among the arguments of the process a large
    one would fill a pipe of which the starter holds both ends, and wait there for ever if we end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    norch_cpu_ops.set_num_threads(1)  # the workers are the parallelism
    _seed_all(seed)
    tasks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=read_all_messages, args=(connection, tasks), daemon=True).start()
    try:
        if job is None:
            if (message := tasks.get()) is None:
                return
            job = rebuild(message)
        make = prepare(job, number, count, seed)
    except Exception as error:
        make = _fail_every_task(error)
    try:
        while (task := tasks.get()) is not None:
            connection.send_bytes(_answer(make, *loads(task)))
    except OSError:
        return  # the main process has closed the connection, or is gone


def rebuild(job: bytes) -> Job:
    """Return the job that a new process was told; RuntimeError where a part cannot be found."""
    try:
        found: Job = loads(job)
    except (AttributeError, ImportError) as error:
        raise RuntimeError(
            "[DataLoader] a new process does not find the dataset or one of its functions "
            f"({error}): define them in a file that it can import, {FORK}"
        ) from error
    return found


def _seed_all(seed: int) -> None:
    """Start every generator of random numbers of this DataLoader's worker from its seed."""
    manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def read_all_messages(connection: Connection, tasks: queue.SimpleQueue[bytes | None]) -> None:
    """Move a worker's tasks to a queue as they come: the main process never waits to send one."""
    try:
        while True:
            tasks.put(connection.recv_bytes())
    except (EOFError, OSError):
        tasks.put(None)
    time.sleep(GRACE)
    os._exit(1)  # still at work on a sample that nobody waits for


def prepare(job: Job, number: int, count: int, seed: int) -> Callable[[int, Any], Any]:
    """Introduce the worker to the dataset; return the function from (epoch, task) to a batch."""
    set_worker_info(WorkerInfo(number, count, seed, job.dataset))
    if job.worker_init_fn is not None:
        call("worker_init_fn({})", number, job.worker_init_fn, number)
    if job.is_stream:
        return _stream_maker(job)
    fetch = (batch_fetcher if job.batched else sample_fetcher)(job.dataset, job.collate_fn)
    return lambda epoch, indices: fetch(indices)


def _stream_maker(job: Job) -> Callable[[int, Any], Any]:
    """Return the function that gives the next batch of a stream, from the first in a new epoch."""
    batches: dict[int, Iterator[Any]] = {}

    def make(epoch: int, _: Any) -> Any:
        if epoch not in batches:
            batches.clear()
            batches[epoch] = stream(job.dataset, job.collate_fn, job.batch_size, job.drop_last)
        return next(batches[epoch], OVER)

    return make


def _fail_every_task(error: Exception) -> Callable[[int, Any], Any]:
    """Return a function that answers every task with the error that kept a data worker from it."""

    def make(epoch: int, task: Any) -> Any:
        raise error

    return make


def _answer(make: Callable[[int, Any], Any], epoch: int, task: Any) -> bytes:
    """Make one batch in a worker; whatever goes wrong becomes an answer too."""
    try:
        batch = make(epoch, task)
        return dumps((epoch, END, None) if batch is OVER else (epoch, BATCH, batch))
    except Exception as error:
        text = traceback.format_exc()
        try:
            return dumps((epoch, ERROR, (type(error), text)))
        except Exception:  # a class that the main process cannot load
            return dumps((epoch, ERROR, (RuntimeError, text)))
