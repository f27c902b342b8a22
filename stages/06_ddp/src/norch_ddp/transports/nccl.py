"""The transport between GPUs: NCCL moves arrays from GPU to GPU, and the host never sees them.

A group has one communicator of CuPy's, made when its first message leaves; the MPI transport hands
its id round. Messages run in a stream of their own, beside the kernels of backward and after all
that the current stream was given before them; a request is an event behind one of them. The current
stream waits for it, not the host; a thread looks after those that never come. norch's tests run
this file on a stand-in for NCCL: it has not met a real one.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from norch_ddp.transports.mpi import MpiTransport
from norch_ddp.transports.traffic import count
from norch_ddp.transports.work import DONE, Done, Limit, Work

_TYPE_NAMES = {
    "float16": "NCCL_FLOAT16",
    "bfloat16": "NCCL_BFLOAT16",
    "float32": "NCCL_FLOAT32",
    "float64": "NCCL_FLOAT64",
    "int64": "NCCL_INT64",
    "int32": "NCCL_INT32",
    "int8": "NCCL_INT8",
    "uint8": "NCCL_UINT8",
    "bool": "NCCL_UINT8",
}
_OP_NAMES = {
    "sum": "NCCL_SUM",
    "product": "NCCL_PROD",
    "min": "NCCL_MIN",
    "max": "NCCL_MAX",
    "mean": "NCCL_AVG",
}
_ID_BYTES = 1024
"""Room for a pickled id: 128 numbers of one byte, a tuple in CuPy 13 and bytes in CuPy 14."""

_MEANINGS = {
    1: "a CUDA call failed inside NCCL; NCCL_DEBUG=INFO says which",
    2: "a call to the system failed: shared memory or the network; NCCL_DEBUG=INFO says which",
    3: "NCCL found itself in a state that it should never reach: its own defect, or memory damaged",
    4: "an argument was wrong; NCCL_DEBUG=WARN says which",
    5: "the call does not fit what the ranks have: most often two ranks use one GPU, and each "
    "needs its own: tensors on cuda:{LOCAL_RANK}, or init_process_group('gloo'), by the host",
    6: "another rank ended, or the network between them is gone",
}
"""NCCL's codes for what went wrong (`ncclResult_t`)."""


class Gpu(NamedTuple):
    """This rank's GPU, and the parts of CuPy by which it is reached."""

    name: str
    number: int
    cuda: Any
    nccl: Any


def find_gpu(device: str, required: bool) -> Gpu | None:
    """Return the GPU called `device` if NCCL can reach it; None for other devices, or without NCCL.

    With `required`, a GPU without NCCL is an error: somebody asked for it by name.
    """
    if not device.startswith("cuda:"):
        return None
    from norch_cuda.devices.device import gpu_library  # only a script with GPUs needs stage 3

    cupy = gpu_library()
    nccl = import_module(f"{cupy.__name__}.cuda.nccl")
    if nccl.available:
        return Gpu(device, int(device.removeprefix("cuda:")), cupy.cuda, nccl)
    if required:
        raise RuntimeError(
            "[nccl] CuPy finds no NCCL on this machine: pip install nvidia-nccl-cu12 (or -cu13, as "
            "CUDA is), or leave the backend out: tensors then travel through the host, by MPI"
        )
    return None


def is_nccl_available() -> bool:
    """Return whether there are a GPU and NCCL to send tensors from one to another."""
    try:
        return find_gpu("cuda:0", required=False) is not None
    except RuntimeError:  # no GPU, or no CuPy
        return False


@contextmanager
def explain_errors(gpu: Gpu) -> Iterator[None]:
    """Turn NCCL's and CUDA's errors into a RuntimeError that says what to do."""
    try:
        yield
    except gpu.nccl.NcclError as error:
        meaning = _MEANINGS.get(error.status, "NCCL_DEBUG=INFO says more")
        raise RuntimeError(f"[nccl] {error} on {gpu.name}: {meaning}") from error
    except gpu.cuda.runtime.CUDARuntimeError as error:
        raise RuntimeError(f"[nccl] {error} on {gpu.name}, while a message was there") from error


class NcclRequest:
    """A message under way: it has arrived when the event behind it in the stream is reached."""

    __slots__ = ("_arrays", "_comm", "_event", "_gpu", "start", "what")

    def __init__(self, what: str, gpu: Gpu, comm: Any, event: Any, arrays: tuple[Any, ...]) -> None:
        self.what = what
        self.start = time.monotonic()
        self._gpu = gpu
        self._comm = comm
        self._event = event
        self._arrays = arrays  # memory that is in use must not be given to others

    def order(self) -> Done:
        """Let all that the current stream is given from now on wait for the message."""
        event = self._event
        if event is not None:
            with self._gpu.cuda.Device(self._gpu.number), explain_errors(self._gpu):
                self._comm.check_async_error()
                self._gpu.cuda.get_current_stream().wait_event(event)
        return DONE

    def test(self) -> bool:
        """Say whether the message has arrived; raise what NCCL found wrong meanwhile."""
        event = self._event  # a thread that tests too may forget it
        if event is not None:
            with explain_errors(self._gpu):
                self._comm.check_async_error()
                if not event.done:
                    return False
            self._event = None
            self._arrays = ()
        return True


class NcclTransport:
    """The GPUs of one group's ranks, one each; made without a message, by each rank alone."""

    note = " between GPUs"
    takes_means = True

    def __init__(
        self, host: MpiTransport, gpu: Gpu, seconds: float, give_up: Callable[[str], object]
    ) -> None:
        self.rank = host.rank
        self.size = host.size
        self.gpu = gpu
        self._host = host
        self._seconds = seconds
        self._give_up = give_up
        self._closed = threading.Event()
        self._comm: Any = None
        self._stream: Any = None
        self._under_way: list[NcclRequest] = []

    def home(self, device: str) -> str:
        """Return `device`: tensors travel from where they are."""
        return device

    def travels_as(self, dtype: Any) -> Any:
        """Return `dtype`: NCCL adds half types itself."""
        if not hasattr(self.gpu.nccl, _TYPE_NAMES[dtype.name]):
            raise TypeError(
                f"[nccl] the installed CuPy cannot send {dtype.name}: update it, or cast to float32"
            )
        return dtype

    def close(self) -> None:
        """Free the communicator; what is still under way, or broken, is given up."""
        if self._comm is None:
            return
        self._closed.set()
        with self.gpu.cuda.Device(self.gpu.number), explain_errors(self.gpu):
            if self._is_idle():
                self._comm.destroy()
            else:
                self._comm.abort()  # destroy would wait for what may never come
        self._comm = None
        self._under_way.clear()

    def _is_idle(self) -> bool:
        """Return whether all NCCL messages have arrived, none with an error."""
        try:
            return all(request.test() for request in self._under_way)
        except RuntimeError:
            return False

    def broadcast(self, array: Any, src: int) -> NcclRequest:
        """Write `src`'s array into everybody's."""
        count("broadcast", array.nbytes, self.size)
        place, *what = self._message(array)
        return self._start(
            "broadcast", [array], lambda comm, to: comm.broadcast(place, place, *what, src, to)
        )

    def all_reduce(self, array: Any, op: str) -> NcclRequest:
        """Combine everybody's arrays in place."""
        count("all_reduce", array.nbytes, self.size)
        place, *what = self._message(array, op)
        return self._start(
            "all_reduce", [array], lambda comm, to: comm.allReduce(place, place, *what, to)
        )

    def reduce(self, array: Any, op: str, dst: int) -> NcclRequest:
        """Combine everybody's arrays in `dst`'s; the others stay."""
        count("reduce", array.nbytes, self.size)
        place, *what = self._message(array, op)
        return self._start(
            "reduce", [array], lambda comm, to: comm.reduce(place, place, *what, dst, to)
        )

    def all_gather(self, out: Any, array: Any) -> NcclRequest:
        """Write rank r's array into row r of everybody's `out`."""
        count("all_gather", array.nbytes * self.size, self.size)
        place, *what = self._message(array)
        block = out.array
        return self._start(
            "all_gather",
            [block, array],
            lambda comm, to: comm.allGather(place, block.data_ptr, *what, to),
        )

    def reduce_scatter(self, out: Any, parts: Any, op: str) -> NcclRequest:
        """Combine everybody's `parts` and write row r of the result into rank r's `out`."""
        count("reduce_scatter", out.nbytes * self.size, self.size)
        place, *what = self._message(out, op)
        block = parts.array
        return self._start(
            "reduce_scatter",
            [out, block],
            lambda comm, to: comm.reduceScatter(block.data_ptr, place, *what, to),
        )

    def gather(self, out: Any, array: Any, dst: int) -> NcclRequest:
        """Write rank r's array into row r of `dst`'s `out`: sends and receives of one group."""
        return self._exchange({dst: array}, {} if out is None else self._rows(out.array))

    def scatter(self, array: Any, parts: Any, src: int) -> NcclRequest:
        """Write row r of `src`'s `parts` into rank r's array: sends and receives of one group."""
        return self._exchange({} if parts is None else self._rows(parts.array), {src: array})

    def all_to_all(self, outs: list[Any], arrays: list[Any]) -> NcclRequest:
        """Write rank s's `arrays[r]` into rank r's `outs[s]`, for all s and r."""
        return self._exchange(dict(enumerate(arrays)), dict(enumerate(outs)))

    def _exchange(self, sends: dict[int, Any], receives: dict[int, Any]) -> NcclRequest:
        """Send and receive one array for each rank named, all at once: none waits for another."""
        for rank, array in sends.items():
            count("send", 0 if rank == self.rank else array.nbytes, self.size)

        def call(comm: Any, stream: int) -> None:
            self.gpu.nccl.groupStart()
            try:
                for rank, array in sends.items():
                    comm.send(*self._message(array), rank, stream)
                for rank, array in receives.items():
                    comm.recv(*self._message(array), rank, stream)
            finally:
                self.gpu.nccl.groupEnd()

        return self._start("exchange", [*sends.values(), *receives.values()], call)

    def _start(self, what: str, arrays: list[Any], call: Callable[[Any, int], None]) -> NcclRequest:
        """Put a call of NCCL behind what the current stream has to do, and an event behind it."""
        cuda = self.gpu.cuda
        with cuda.Device(self.gpu.number), explain_errors(self.gpu):
            comm = self._communicator()
            before = cuda.Event(disable_timing=True)
            before.record()
            self._stream.wait_event(before)
            call(comm, self._stream.ptr)
            after = cuda.Event(disable_timing=True)
            after.record(self._stream)
        request = NcclRequest(what, self.gpu, comm, after, tuple(arrays))
        self._under_way = [other for other in self._under_way if not other.test()] + [request]
        return request

    def _communicator(self) -> Any:
        """The communicator, made at the first message: rank 0 invents its id.

        NCCL waits here for all ranks, without a time limit; the check before has seen them all.
        """
        if self._comm is None:
            nccl = self.gpu.nccl
            own_id = pickle.dumps(nccl.get_unique_id()) if self.rank == 0 else b""
            ids = bytearray(_ID_BYTES * self.size)
            request = self._host.exchange(own_id.ljust(_ID_BYTES, b"\0"), ids)
            Work(request, "nccl", Limit(self._seconds)).wait()
            self._comm = nccl.NcclCommunicator(self.size, pickle.loads(ids), self.rank)
            self._stream = self.gpu.cuda.Stream(non_blocking=True)
            threading.Thread(target=self._watch, name="norch-nccl", daemon=True).start()
        return self._comm

    def _watch(self) -> object:
        """Give up when NCCL finds an error or a message takes too long: the host may wait for the
        device, and must not read what a broken message leaves there.
        """
        while not self._closed.wait(min(1.0, self._seconds / 4)):
            for request in self._under_way:
                try:
                    elapsed = time.monotonic() - request.start
                    if request.test() or elapsed < self._seconds:
                        continue
                except RuntimeError as error:
                    return self._give_up(str(error))
                return self._give_up(
                    f"[{request.what}] waited {elapsed:.0f} s for another rank. Every rank must "
                    "make this call: look for one that ended early, took another branch or had "
                    "fewer batches, or allow more time with init_process_group(timeout=seconds)"
                )
        return None

    def _message(self, array: Any, op: str | None = None) -> list[int]:
        """Return what NCCL wants to know of an array: where, how many, which type, combined how."""
        nccl = self.gpu.nccl
        words = [array.data_ptr, array.numel, getattr(nccl, _TYPE_NAMES[array.dtype.name])]
        return words if op is None else [*words, getattr(nccl, _OP_NAMES[op])]

    def _rows(self, array: Any) -> dict[int, Any]:
        """Return the rows of an array that NCCL sends or fills, by rank."""
        return dict(enumerate(array.unbind(0)))
