"""A stand-in for NCCL between processes, over MPI: on "cuda-sim", or under CuPy's own streams.

`nccl` has the interface of `cupy.cuda.nccl` and `cuda` that of `cupy.cuda`, as far as
transports.nccl calls them. Nothing in a stream runs before an event behind it is asked for, so a
missing wait shows. Ranks find each other by the unique id alone, as NCCL's do. It says nothing
about a real NCCL: what that does with these calls has to be seen on GPUs.

With `install("cuda")` everything but `nccl` is CuPy's; a message then runs when it is started,
after what its stream has been given (`make gpu-fake`, where no GPU takes part).
"""

import ctypes
import struct
import threading
import time
from collections import deque
from itertools import count
from types import SimpleNamespace

from mpi4py import MPI

from norch_autograd import (
    bfloat16,
    float16,
    float32,
    float64,
    frombuffer,
    int8,
    int32,
    int64,
    maximum,
    minimum,
    uint8,
)
from norch_ddp.groups import process_group
from norch_ddp.transports.nccl import Gpu

WORLD = MPI.COMM_WORLD
TYPES = {0: int8, 1: uint8, 2: int32, 4: int64, 6: float16, 7: float32, 8: float64, 9: bfloat16}
STEPS = {
    0: lambda a, b: a + b,
    1: lambda a, b: a * b,
    2: maximum,
    3: minimum,
    4: lambda a, b: a + b,
}
AVERAGE = 4
UP, DOWN = 1, 2  # cudaMemcpyHostToDevice and cudaMemcpyDeviceToHost

cupy = None
"""CuPy, where its streams are taken."""
streams = {}
"""Every stream by the number that stands for its handle."""
calls = []
"""The names of the methods that were called."""
waits = []
"""The events that the current stream has been made to wait for."""
alive = set()
"""The communicators that nobody has freed."""
failing = {}
"""Which status a method returns, by its name; a thread's name: what NCCL finds wrong meanwhile."""


def install(kind="cuda-sim"):
    """Let the process group find a GPU, and this NCCL, wherever a tensor is on `kind`."""

    def find_gpu(device, required):
        if device.split(":")[0] != kind:
            return None
        index = int(device.partition(":")[2] or 0)
        return Gpu(device, index, cuda if cupy is None else cupy.cuda, nccl)

    global cupy
    if kind == "cuda":
        import cupy
    process_group.find_gpu = find_gpu


class NcclError(RuntimeError):
    """What NCCL answered, if it was not success."""

    def __init__(self, status):
        self.status = status
        super().__init__(f"NCCL_ERROR: status {status}")


class CUDARuntimeError(RuntimeError):
    """What CUDA answered."""


# ---- streams and events --------------------------------------------------------------------------


class Stream:
    """Tasks in order; each is a generator that yields while it waits."""

    def __init__(self, non_blocking):
        assert non_blocking, "the null stream would wait for all kernels, and they for it"
        self.ptr = len(streams) + 1
        self.tasks = deque()
        self.has_waited = False
        streams[self.ptr] = self

    def wait_event(self, event):
        """Let what comes next wait for an event."""
        self.has_waited = True

        def task():
            while not event.done:
                yield

        self.tasks.append(task())

    def put(self, task):
        """Append a message; it must wait for what wrote its arrays."""
        assert self.has_waited, "a message that does not wait for the current stream"
        self.has_waited = False
        self.tasks.append(task)

    def advance(self):
        """Go on with the first task, and with the next when it is over."""
        while self.tasks:
            try:
                next(self.tasks[0])
                return
            except StopIteration:
                self.tasks.popleft()


class CurrentStream:
    """cuda-sim's own: what it is given runs at once, so it waits at once."""

    def wait_event(self, event):
        """Return when the event is reached."""
        waits.append(event)
        while not event.done:
            time.sleep(1e-4)


class Event:
    """A mark in a stream. The current stream is cuda-sim's own: it has always run."""

    asking = threading.RLock()  # by whoever asks, a stream is driven by one thread at a time

    def __init__(self, disable_timing=False):
        self._stream, self._reached = None, True

    def record(self, stream=None):
        """Place the mark behind everything in the stream."""
        if stream is not None:
            self._stream, self._reached = stream, False
            stream.tasks.append(self._reach())

    def _reach(self):
        self._reached = True
        return
        yield

    @property
    def done(self):
        """Whether the mark is reached; asking is what drives the stream."""
        if "event" in failing:
            raise CUDARuntimeError("cudaErrorIllegalAddress")
        with self.asking:
            if not self._reached:
                self._stream.advance()
            return self._reached


class Device:
    """`with Device(0):` makes it the current one."""

    current = None

    def __init__(self, index):
        self.index = index

    def __enter__(self):
        Device.current = self.index

    def __exit__(self, *error):
        Device.current = None


# ---- NCCL ----------------------------------------------------------------------------------------

numbers = count()
groups = []  # the open group's messages: (communicator, stream, kind of message, place, ...)


def get_unique_id():
    """A new id: bytes as CuPy 14's, or a tuple of signed numbers as CuPy 13's, in turn."""
    number = next(numbers)
    unique = struct.pack(">II", WORLD.rank, number).ljust(128, b"\xff")
    return unique if number % 2 else struct.unpack("128b", unique)


def groupStart():
    """Collect the messages that follow."""
    groups.append([])


def groupEnd():
    """Start them together."""
    messages = groups.pop()
    if messages:
        comm, stream = messages[0][:2]
        put(stream, comm._exchange([message[2:] for message in messages]))


class NcclCommunicator:
    """Some ranks that have one unique id in common."""

    def __init__(self, size, unique_id, rank):
        assert cupy or Device.current is not None, "NCCL takes the current GPU"
        raw = unique_id if isinstance(unique_id, bytes) else struct.pack("128b", *unique_id)
        root, number = struct.unpack_from(">II", raw)
        if "NcclCommunicator" in failing:
            raise NcclError(failing["NcclCommunicator"])
        members = [WORLD.rank]
        tag = 1000 + number % 1000
        if rank == 0:
            found = dict(WORLD.recv(source=MPI.ANY_SOURCE, tag=tag) for _ in range(size - 1))
            members += [found[r] for r in range(1, size)]
            for member in members[1:]:
                WORLD.send(members, member, tag)
        else:
            WORLD.send((rank, WORLD.rank), root, tag)
            members = WORLD.recv(source=root, tag=tag)
        self._comm = WORLD.Create_group(WORLD.group.Incl(members), tag)
        self.rank, self.size = rank, size
        alive.add(self)

    def destroy(self):
        """Free it."""
        calls.append("destroy")
        alive.remove(self)
        self._comm.Free()

    def abort(self):
        """Free it although something is under way."""
        calls.append("abort")
        alive.remove(self)

    def check_async_error(self):
        """Raise what went wrong meanwhile."""
        thread = threading.current_thread().name
        if thread in failing:
            raise NcclError(failing[thread])

    def allReduce(self, send, recv, count, kind, op, stream):
        self._put("allReduce", stream, self._combine(send, recv, count, kind, op))

    def reduce(self, send, recv, count, kind, op, root, stream):
        there = recv if self.rank == root else None
        self._put("reduce", stream, self._combine(send, there, count, kind, op))

    def reduceScatter(self, send, recv, count, kind, op, stream):
        task = self._combine(send, recv, count * self.size, kind, op, part=self.rank)
        self._put("reduceScatter", stream, task)

    def broadcast(self, send, recv, count, kind, root, stream):
        def task():
            rows = yield from self._gather(send, count * TYPES[kind].itemsize)
            write(recv, rows[root])

        self._put("broadcast", stream, task())

    def allGather(self, send, recv, count, kind, stream):
        def task():
            rows = yield from self._gather(send, count * TYPES[kind].itemsize)
            write(recv, b"".join(rows))

        self._put("allGather", stream, task())

    def send(self, place, count, kind, peer, stream):
        calls.append("send")
        groups[-1].append((self, stream, "send", place, count * TYPES[kind].itemsize, peer))

    def recv(self, place, count, kind, peer, stream):
        calls.append("recv")
        groups[-1].append((self, stream, "recv", place, count * TYPES[kind].itemsize, peer))

    def _put(self, name, stream, task):
        calls.append(name)
        if name in failing:
            raise NcclError(failing[name])
        put(stream, task)

    def _gather(self, place, nbytes):
        """Everybody's bytes, rank by rank; read late, as a stream may."""
        for _ in range(3):
            yield
        rows = bytearray(nbytes * self.size)
        request = self._comm.Iallgather(read(place, nbytes), rows)
        while not request.Test():
            yield
        return [bytes(rows[r * nbytes : (r + 1) * nbytes]) for r in range(self.size)]

    def _combine(self, send, recv, count, kind, op, part=None):
        rows = yield from self._gather(send, count * TYPES[kind].itemsize)
        if recv is None or not count:
            return
        values = [frombuffer(bytearray(row), dtype=TYPES[kind]) for row in rows]
        if op == AVERAGE:  # as NCCL: scaled first, so that half types do not overflow
            values = [value * (1 / self.size) for value in values]
        total = values[0]
        for value in values[1:]:
            total = STEPS[op](total, value)
        if part is not None:
            total = total.reshape(self.size, -1)[part]
        write(recv, to_bytes(total))

    def _exchange(self, messages):
        """Send and receive bytes, all at once."""
        for _ in range(3):
            yield
        requests, boxes = [], []
        for kind, place, nbytes, peer in messages:
            if kind == "send":
                requests.append(self._comm.Isend(read(place, nbytes), peer))
            else:
                boxes.append((place, bytearray(nbytes)))
                requests.append(self._comm.Irecv(boxes[-1][1], peer))
        while not all(request.Test() for request in requests):
            yield
        for place, box in boxes:
            write(place, box)


def to_bytes(values):
    """The elements' bytes; bfloat16 is the upper half of float32."""
    if values.dtype is not bfloat16:
        return bytes(memoryview(values.contiguous().array).cast("B"))
    wide = bytes(memoryview(values.float().contiguous().array).cast("B"))
    return b"".join(wide[i + 2 : i + 4] for i in range(0, len(wide), 4))


def put(stream, task):
    """Append a message to a stream; one of CuPy's is brought to its end first."""
    if cupy is None:
        assert Device.current is not None, "NCCL takes the current GPU"
        streams[stream].put(task)
    else:
        cupy.cuda.runtime.streamSynchronize(stream)
        deque(task, maxlen=0)


def read(place, nbytes):
    """The bytes at an address of the device."""
    if cupy is None or not nbytes:
        return ctypes.string_at(place, nbytes)
    content = ctypes.create_string_buffer(nbytes)
    copy(ctypes.addressof(content), place, nbytes, DOWN)
    return content.raw


def write(place, content):
    """Copy bytes to an address of the device."""
    content = ctypes.create_string_buffer(bytes(content), len(content))
    if cupy is None:
        ctypes.memmove(place, content, len(content))
    elif len(content):
        copy(place, ctypes.addressof(content), len(content), UP)


def copy(target, source, nbytes, direction):
    """Copy in a stream of its own: `memcpy` would wait for the null stream's kernels."""
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.runtime.memcpyAsync(target, source, nbytes, direction, stream.ptr)
    stream.synchronize()


nccl = SimpleNamespace(
    available=True,
    NcclError=NcclError,
    NcclCommunicator=NcclCommunicator,
    get_unique_id=get_unique_id,
    groupStart=groupStart,
    groupEnd=groupEnd,
    **{f"NCCL_{dtype.name.upper()}": code for code, dtype in TYPES.items()},
    **{f"NCCL_{name}": op for op, name in enumerate(("SUM", "PROD", "MAX", "MIN", "AVG"))},
)
cuda = SimpleNamespace(
    Device=Device,
    Event=Event,
    Stream=Stream,
    get_current_stream=CurrentStream,
    runtime=SimpleNamespace(CUDARuntimeError=CUDARuntimeError),
)
