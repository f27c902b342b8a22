"""Memory of one GPU: CuPy's pool, which gives memory out in the order of a stream.

What is freed goes back to the stream that asked for it, and the next array of that stream may have
it while kernels still use it: they come before. A kernel of another stream may come later; who lets
one use an array says so with `record_stream`, and the memory waits. cupy_backend.py asks.
"""

from __future__ import annotations

from collections import deque
from threading import RLock
from typing import Any
from weakref import WeakSet

from norch_cuda.runtime.backend import Memory, OutOfMemoryError, memory_of
from norch_cuda.runtime.capture import GraphPool


class _Allocation:
    """Memory of a pool, counted while it lives; `streams` are those that use it beside its own."""

    __slots__ = ("home", "memory", "nbytes", "pointer", "pool", "streams")
    _lock = RLock()  # one that the thread may hold already, should the collector call __del__

    def __init__(self, memory: DeviceMemory, pointer: Any, nbytes: int, pool: Any) -> None:
        self.memory, self.pointer, self.nbytes, self.pool = memory, pointer, nbytes, pool
        self.home = memory.current_stream().ptr
        self.streams: dict[int, Any] = {}
        with self._lock:
            memory.used_bytes += nbytes
            if memory.used_bytes > memory.peak_bytes:
                memory.peak_bytes = memory.used_bytes

    def record_stream(self, stream: Any) -> None:
        """Let the memory, once it is freed, wait for what a stream was given until then."""
        if stream.ptr != self.home:
            self.streams[stream.ptr] = stream

    def __del__(self) -> None:
        with self._lock:
            self.memory.used_bytes -= self.nbytes
        if self.streams:
            self.memory.leave(self.pointer, list(self.streams.values()))


class _Held:
    """Memory that nobody needs but streams: it is held until they have come past."""

    __slots__ = ("events", "memory", "streams")

    def __init__(self, memory: object, streams: list[Any]) -> None:
        self.memory, self.streams = memory, streams
        self.events: list[Any] = []

    def is_past(self, cupy: Any, wait: bool) -> bool:
        """Whether all streams have come past; marks are put into them the first time.

        A stream that captures runs nothing, and gets its mark afterwards.
        """
        capturing = [stream for stream in self.streams if stream.is_capturing()]
        for stream in self.streams:
            if stream not in capturing:
                self.events.append(stream.record(cupy.cuda.Event(disable_timing=True)))
        self.streams = capturing
        if wait:
            for event in self.events:
                event.synchronize()
        return not capturing and all(event.done for event in self.events)


class DeviceMemory:
    """The memory of one GPU, which is the current one whenever a method is called."""

    def __init__(self, cupy: Any, device: str) -> None:
        """Count from zero; `device` is for messages."""
        self.cupy, self._device = cupy, device
        # What each allocation calls, found once.
        self.current_stream, self._alloc = cupy.cuda.get_current_stream, cupy.cuda.alloc
        self.used_bytes = 0  # what arrays occupy now, and the most they ever did
        self.peak_bytes = 0
        self.held: deque[_Held] = deque()
        self._graph_pools: WeakSet[GraphPool] = WeakSet()

    def allocate(self, nbytes: int, pool: GraphPool | None = None) -> Memory:
        """Take memory from CuPy's pool, or from that of the graph that is captured."""
        if self.held:
            self.let_go()
        memory = None if pool is None else pool.memory
        malloc = self._alloc if memory is None else memory.malloc
        try:
            pointer = malloc(nbytes or 1)
        except self.cupy.cuda.memory.OutOfMemoryError:
            self.release_cached()
            try:
                pointer = malloc(max(1, nbytes))
            except self.cupy.cuda.memory.OutOfMemoryError:
                raise OutOfMemoryError(self.full(nbytes)) from None
        return memory_of((int(pointer.ptr), nbytes, _Allocation(self, pointer, nbytes, memory)))

    def open_graph_pool(self, pool: GraphPool) -> None:
        """Give graphs a pool of their own, from which nothing goes back to the driver before them.

        CuPy's pool empties itself where the driver has no more; a graph still uses what is free in
        its pool, so the error there is ours, which CuPy does not know.
        """
        if pool.memory is not None:
            return
        pool.memory = self.cupy.cuda.MemoryPool(self._more)
        pool.memory.set_limit(size=0)
        self._graph_pools.add(pool)

    def _more(self, nbytes: int) -> Any:
        """Take memory for a graph's pool from the driver."""
        errors = self.cupy.cuda.runtime.CUDARuntimeError
        for attempt in range(2):
            try:
                return self.cupy.cuda.MemoryPointer(self.cupy.cuda.Memory(nbytes), 0)
            except errors as error:
                if error.status != self.cupy.cuda.runtime.errorMemoryAllocation:
                    raise
            if attempt == 0:
                self.release_cached()
        raise OutOfMemoryError(self.full(nbytes))

    def hold(self, memory: object, stream: Any) -> None:
        """Hold memory until a stream has come past what it was given so far."""
        held = _Held(memory, [stream])
        if not held.is_past(self.cupy, wait=False):
            self.held.append(held)

    def leave(self, memory: object, streams: list[Any]) -> None:
        """Hold memory that its last user lets go until streams have come past what they got since.

        It asks the GPU nothing, for it is called whenever Python collects.
        """
        self.held.append(_Held(memory, streams))

    def let_go(self, wait: bool = False) -> None:
        """Give what is held back to its pool, where all streams have come past."""
        for _ in range(len(self.held)):
            try:
                each = self.held.popleft()
            except IndexError:  # another thread was faster
                return
            if not each.is_past(self.cupy, wait):
                self.held.append(each)

    def release_cached(self) -> None:
        """Give what CuPy's pool keeps for later back to the driver, for this one backend."""
        self.let_go(wait=True)
        self.cupy.get_default_memory_pool().free_all_blocks()

    def reserved_bytes(self) -> int:
        """Return how many bytes CuPy's pools hold, in use or kept for later."""
        pools = [self.cupy.get_default_memory_pool()]
        pools += [pool.memory for pool in self._graph_pools]
        return sum(int(pool.total_bytes()) for pool in pools)

    def full(self, nbytes: int) -> str:
        """Say that there is no room, and what to do."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        asked, used, rest, whole = (
            f"{number / 2**20:,.1f} MiB" for number in (nbytes, self.used_bytes, free, total)
        )
        return (
            f"[{self._device}] no room for {asked}: of {whole}, arrays of this process occupy "
            f"{used}, and {rest} are free, not always in one piece; take a smaller batch, "
            "or drop tensors that are not needed and call norch.cuda.empty_cache()"
        )
