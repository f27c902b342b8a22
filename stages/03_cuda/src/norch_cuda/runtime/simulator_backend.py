"""The device "cuda-sim": the same kernels, compiled by g++ and run on the CPU, one fiber a thread.

Slow, but it runs anywhere and it finds what a GPU hides: barriers not all threads reach, threads
that wait for ever, accesses out of bounds, races. csrc/simulator is how. Never used unless asked.
"""

from __future__ import annotations

import ctypes
import math
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from norch_cuda.runtime import simulator_structs as structs
from norch_cuda.runtime.arguments import Packer, read_signature
from norch_cuda.runtime.backend import Argument, Dims, Explain, Memory, memories_in, memory_of
from norch_cuda.runtime.capture import (
    DOWNLOADING,
    UPLOADING,
    Capture,
    GraphPool,
    capturing,
    current_capture,
    refuse_waiting,
    when_run,
)
from norch_cuda.runtime.flags import kernel_flags, recorded_flags
from norch_cuda.runtime.recording import Recorder, Recording
from norch_cuda.runtime.reports import Report, Reports
from norch_cuda.runtime.simulator_options import STEPS, Counters, SimulatorOptions, current_setting
from norch_cuda.runtime.sources import KernelSource, source_directory

if TYPE_CHECKING:
    from norch_cuda.runtime.library_variables import Variable

# What nobody has written, kUnwrittenGlobal of checker.cpp: NaNs of all four kinds.
_UNWRITTEN = (0xFFF7FFF3).to_bytes(4, "little") * 4096
_GUARD_BYTES = 256
_MARGIN_BYTES = 4096  # around the guards: who misses an array by so little hits nothing of Python's
_ALIGNMENT = 64
# A guard zone repeats four bytes that are a NaN as float and as double; the lower two differ from
# array to array, by the address.
_GUARD_NAN = 0xFFFF0000
_EARLIER, _EARLIER_FREED = -1, -2  # kEarlier and kEarlierFreed of checker.h
_MOST_EARLIER = 64  # arrays of earlier launches that are remembered
_ELF = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class KernelLibrary:
    """One built .cu file: its path, its handle, and its kernels and variables by name."""

    path: Path
    handle: ctypes.CDLL
    table: structs.Library
    kernels: dict[str, tuple[int, Packer]]  # name -> position in the table, its arguments
    symbols: dict[str, Memory]
    shared: ctypes.Array[structs.PlacedVariable]  # of a checked library, as its other variables
    others: ctypes.Array[structs.PlacedVariable]


@lru_cache(maxsize=1)
def _engine() -> ctypes.CDLL:
    """Build (or find) and load the simulator itself, once."""
    # Imported here because it is slow: subprocess, hashlib, tempfile.
    from norch_cuda.runtime.compiler import engine_library, open_library

    # Global, because kernel libraries find barrier(), exchange() and the rest in it.
    engine = open_library(engine_library(), ctypes.RTLD_GLOBAL)
    engine.norch_sim_launch.restype = ctypes.c_int
    return engine


def _flags(
    source: KernelSource, checked: bool, clang: bool, recorded: bool = False
) -> tuple[str, ...]:
    """How a kernel is compiled: fast, announcing its accesses, or all that it does."""
    if recorded:
        return recorded_flags(clang)
    # Bounds keep local arrays out of registers.
    return kernel_flags(checked, clang, "volatile" in source.text, source.watched)


@lru_cache(maxsize=512)
def load_library(source: KernelSource, checked: bool, recorded: bool = False) -> KernelLibrary:
    """Build (or find) and load the library of one kernel source."""
    from norch_cuda.runtime.compiler import (
        CompilationError,
        build_library,
        is_clang,
        open_library,
    )
    from norch_cuda.runtime.library_variables import gaps_behind, variables_of
    from norch_cuda.runtime.rewrite import rewrite_library

    _engine()
    folder = source_directory()
    hooks = '#include "recorded.h"\n' if recorded else ""
    # The last line is for the key of the library: the same text, but with other tables.
    text = f'#include "cuda_on_cpu.h"\n{hooks}{source.typed_text}\n// {source.expression!r}\n'
    announce = checked and source.watched and not recorded
    headers = sorted(h for h in folder.rglob("*") if h.suffix in ("", ".h") and h.is_file())
    modules = ("tokens", "definitions", "rewrite")  # what makes the text may change it too
    headers += [Path(__file__).with_name(f"{module}.py") for module in modules]
    simulator = folder / "simulator"
    includes = (f"-I{folder}", f"-isystem{simulator}", f"-isystem{simulator}/device_library")
    flags = (*_flags(source, checked, is_clang(), recorded), *includes)
    name = f"{source.family}-{source.element.replace(' ', '_')}"
    put = partial(rewrite_library, source.file, source.expression, announce)
    kept_apart = gaps_behind if checked and not recorded and _ELF else None
    try:
        path = build_library(name, [], text, headers, flags, kept_apart, put)
    except CompilationError as error:
        raise RuntimeError(_compile_error(source, error.command, error.output)) from None
    handle = open_library(path)
    table = structs.Library.in_dll(handle, "norch_library")
    kernels = {}
    for i in range(table.count):
        entry = table.kernels[i]
        name = entry.name.decode()
        kernels[name] = (i, Packer(name, read_signature(entry.signature.decode())))
    symbols = {}
    for i in range(table.num_symbols):
        symbol = table.symbols[i]
        if symbol.size > 0:  # else it is const, and lies where nobody can write
            symbols[symbol.name.decode()] = Memory(symbol.address, symbol.size, handle)
    shared, others = variables_of(path) if checked else ([], [])
    return KernelLibrary(path, handle, table, kernels, symbols, _place(shared), _place(others))


def _compile_error(source: KernelSource, compiler: str, output: str) -> str:
    """Say in the lines of the kernel's text why it does not compile."""
    from norch_cuda.runtime.diagnostics import missing_header, readable

    said = readable(output, source.text, source.file) + missing_header(output, source.file)
    return f"[cuda-sim] {compiler} could not compile the kernels:\n{said}"


def _place(variables: list[Variable]) -> ctypes.Array[structs.PlacedVariable]:
    """Make the C array of a checked library's variables."""
    rows: Any = ((v.offset, v.size, v.name.encode(), v.role) for v in variables)
    return (structs.PlacedVariable * len(variables))(*rows)


def _snapshot(argument: Argument) -> Argument:
    """An argument as it is now; memory is kept as what it holds then."""
    if isinstance(argument, ctypes.Structure):
        return type(argument).from_buffer_copy(argument)
    return tuple(argument) if isinstance(argument, list) else argument


def _arrays(arguments: Sequence[Argument]) -> ctypes.Array[structs.Array]:
    """Make the C array of the arrays among a kernel's arguments."""
    found = []
    for position, place, memory in memories_in(arguments):
        begin, end = memory.address, memory.address + memory.nbytes
        first, last = getattr(arguments[position], "extent", None) or (0, memory.nbytes)
        guard = _GUARD_NAN | (begin // _ALIGNMENT & 0xFFFF)
        used = (begin + first, begin + last)
        found.append(structs.Array(begin, end, *used, position, place, guard))
    return (structs.Array * len(found))(*found)


class SimulatorBackend:
    """The backend of the device "cuda-sim"."""

    device = "cuda-sim"
    num_blocks = 4  # few CUDA threads that loop run faster than many that do not
    large_tiles_from = math.inf  # a host has registers for 16 results, not for 64

    def __init__(self) -> None:
        """Start without variables: see `_variables_of` and `_earlier`."""
        self._variables: dict[KernelSource, dict[str, Memory]] = {}
        self._reports = Reports(self.allocate, self.synchronize)
        self._given: dict[KernelSource, dict[int, tuple[weakref.ref[Any], int]]] = {}

    def allocate(self, nbytes: int) -> Memory:
        """Reserve poisoned memory between two guard zones: reading it unwritten gives NaN."""
        around = _GUARD_BYTES + _MARGIN_BYTES
        owner = (ctypes.c_char * (nbytes + 2 * around + _ALIGNMENT))()
        address = ctypes.addressof(owner) + around
        address += -address % _ALIGNMENT
        guard = _GUARD_NAN | (address // _ALIGNMENT & 0xFFFF)
        zone = guard.to_bytes(4, "little") * (_GUARD_BYTES // 4)
        ctypes.memmove(address - _GUARD_BYTES, zone, _GUARD_BYTES)
        ctypes.memmove(address, _UNWRITTEN, min(nbytes, len(_UNWRITTEN)))
        if nbytes > len(_UNWRITTEN):
            _repeat_unwritten(address, nbytes)
        ctypes.memmove(address + nbytes, zone, _GUARD_BYTES)
        return memory_of((address, nbytes, owner))

    def pin(self, nbytes: int) -> bytearray:
        """Reserve ordinary memory: there is no GPU that it could be pinned for."""
        return bytearray(nbytes)

    def upload(
        self, memory: Memory, offset: int, source: int, nbytes: int, pinned: object = None
    ) -> None:
        """Copy from the host into simulated memory; a capture keeps copies of pinned memory."""
        if pinned is None:
            refuse_waiting(self.device, UPLOADING)
        self._copy(memory.address + offset, source, nbytes, (memory, pinned))

    def download(
        self, memory: Memory, offset: int, target: int, nbytes: int, pinned: object = None
    ) -> None:
        """Copy from simulated memory to the host, likewise."""
        if pinned is None:
            refuse_waiting(self.device, DOWNLOADING)
        self._copy(target, memory.address + offset, nbytes, (memory, pinned))

    def _copy(self, target: int, source: int, nbytes: int, held: object) -> None:
        """Copy now, or at each replay of a capture, which holds both ends."""

        def copy(held: object = held) -> None:
            ctypes.memmove(target, source, nbytes)

        capture = current_capture(self.device)
        if capture is None:
            copy()
        else:
            capture.steps.append(copy)

    def symbol(self, source: KernelSource, name: str) -> Memory:
        """Find the memory that holds the variable between launches."""
        found = self._variables_of(source, load_library(source, current_setting().options.check))
        if name not in found:
            raise RuntimeError(
                f"[{name}] is no __constant__ or __device__ variable of {Path(source.file).name}; "
                f"there are: {', '.join(found) or 'none'}"
            )
        return found[name]

    def _variables_of(self, source: KernelSource, library: KernelLibrary) -> dict[str, Memory]:
        """The variables of a text: one copy for its plain and its checked library."""
        if source not in self._variables:
            kept = {name: self.allocate(found.nbytes) for name, found in library.symbols.items()}
            self._variables[source] = kept
            _copy_variables(library.symbols, kept)
        return self._variables[source]

    def _earlier(
        self, source: KernelSource, arguments: Sequence[Argument]
    ) -> ctypes.Array[structs.Array]:
        """What the launches of a text before this one were given, and now this one.

        Its `__device__` pointers may lead there: the checker tells what is there and what is freed.
        """
        given = self._given.setdefault(source, {})
        rows = []
        for begin, (owner, nbytes) in given.items():
            role = _EARLIER if owner() is not None else _EARLIER_FREED
            rows.append(structs.Array(begin, begin + nbytes, 0, 0, role))
        for _, _, memory in memories_in(arguments):
            first, last = memory.address, memory.address + memory.nbytes
            for begin in [b for b, (_, n) in given.items() if b < last and first < b + n]:
                del given[begin]  # this one, or one that is freed and lay here
            given[first] = weakref.ref(memory.owner), memory.nbytes
        while len(given) > _MOST_EARLIER:
            del given[next(iter(given))]
        return (structs.Array * len(rows))(*rows)

    def has_tensor_cores_for(self, dtype: str) -> bool:
        """Tell none: it has them, but a host multiplies floats ten times faster."""
        return False

    def synchronize(self) -> None:
        """Do nothing: a launch returns when the kernel has run."""
        refuse_waiting(self.device, "synchronizing")

    def new_report(self) -> Report:
        """Return a report in simulated memory."""
        return self._reports.new()

    def when_run(self, report: Any, explain: Explain) -> None:
        """Read a report: now, or at each replay of a capture."""
        when_run(self.device, partial(report.read, explain))

    def begin_capture(self, pool: GraphPool) -> Capture:
        """Keep launches from now on; each keeps the memory that it names, so `pool` is not used."""
        return Capture(self.device)

    def launch(
        self,
        source: KernelSource,
        kernel: str,
        grid: Dims,
        block: Dims,
        arguments: Sequence[Argument],
        dynamic_shared: int = 0,
    ) -> None:
        """Run a kernel to its end; RuntimeError says what it did wrong, and where.

        In a capture its arguments are checked, and it is launched by each replay.
        """
        setting = current_setting()
        recordings = setting.recordings
        library = load_library(source, setting.options.check, recordings is not None)
        if kernel not in library.kernels:
            known = ", ".join(library.kernels)
            raise RuntimeError(f"[{kernel}] no such kernel; there are {known}")
        index, packer = library.kernels[kernel]
        packed = packer.pack(arguments)
        arrays = _arrays(arguments)
        if dynamic_shared < 0:
            raise ValueError(f"[{kernel}] dynamic_shared is {dynamic_shared}: expected bytes")
        if (capture := capturing.get()) is not None and capture.device == self.device:
            again = (source, kernel, grid, block, [_snapshot(a) for a in arguments], dynamic_shared)
            capture.steps.append(partial(self.launch, *again))
            return
        options = _launch_options(setting.options, grid, block, dynamic_shared, arrays)
        options.max_dynamic_shared = source.max_dynamic_shared
        options.shared, options.num_shared = ctypes.addressof(library.shared), len(library.shared)
        options.variables = ctypes.addressof(library.others)
        options.num_variables = len(library.others)
        earlier = self._earlier(source, arguments) if library.symbols else None
        if setting.options.check and earlier is not None:
            options.earlier, options.num_earlier = ctypes.addressof(earlier), len(earlier)
        if not (setting.options.check or source.watched):
            options.seconds = math.inf
        given = (ctypes.byref(library.table), index, packed.addresses)
        if recordings is None:
            report = self._run(source, kernel, library, given, options)
            if setting.options.check:
                _count(setting.counters, report)
            return
        with Recorder(_engine(), recordings.number_in(grid)) as recorder:
            options.recorder = recorder.pointer
            self._run(source, kernel, library, given, options)
            sizes = (grid, block, dynamic_shared, library.path)
            parts = (recorder.sites(), recorder.steps(), recorder.touches())
            more = (recordings.replayed, recorder.is_cut())
            recordings.launches.append(Recording(source, kernel, *sizes, *parts, *more))

    def _run(
        self,
        source: KernelSource,
        kernel: str,
        library: KernelLibrary,
        given: tuple[Any, ...],
        options: structs.LaunchOptions,
    ) -> structs.LaunchReport:
        """Run a kernel on the engine between copies of its text's variables."""
        report = structs.LaunchReport()
        if library.symbols:
            _copy_variables(self._variables_of(source, library), library.symbols)
        failed = _engine().norch_sim_launch(*given, ctypes.byref(options), ctypes.byref(report))
        if library.symbols:
            _copy_variables(library.symbols, self._variables_of(source, library))
        if failed:
            raise RuntimeError(f"[{kernel}] {_explain(library, report)}")
        return report


def _repeat_unwritten(address: int, nbytes: int) -> None:
    """Fill memory that begins with `_UNWRITTEN`; what is written doubles with each copy."""
    filled = len(_UNWRITTEN)
    while filled < nbytes:
        part = min(filled, nbytes - filled)
        ctypes.memmove(address + filled, address, part)
        filled += part


def _copy_variables(source: dict[str, Memory], target: dict[str, Memory]) -> None:
    """Copy the `__device__` variables of a text from one place to another."""
    for name, memory in target.items():
        ctypes.memmove(memory.address, source[name].address, memory.nbytes)


def _launch_options(
    options: SimulatorOptions,
    grid: Dims,
    block: Dims,
    dynamic_shared: int,
    arrays: ctypes.Array[structs.Array],
) -> structs.LaunchOptions:
    """Fill the C struct that says how a kernel is launched."""
    return structs.LaunchOptions(
        grid=grid,
        block=block,
        dynamic_shared=dynamic_shared,
        step=STEPS[options.order],
        checked=options.check,
        workers=options.threads,
        num_arrays=len(arrays),
        arrays=ctypes.addressof(arrays),
        guard_bytes=_GUARD_BYTES,
        seconds=options.seconds,
    )


def _explain(library: KernelLibrary, report: structs.LaunchReport) -> str:
    """Put the source lines into an error message of the engine."""
    from norch_cuda.runtime.compiler import source_line

    message: str = report.message.decode(errors="replace")
    calls = [offset for offset in report.calls if offset]
    for i, offset in enumerate(report.sites):
        if f"{{{i}}}" in message:
            offsets = calls if calls and i == 0 else [offset] if offset else []
            message = message.replace(f"{{{i}}}", source_line(library.path, offsets))
    return message


def _count(counters: Counters, report: structs.LaunchReport) -> None:
    """Add what a checked run did to the counters of its block."""
    reads, writes, shared_reads, shared_writes, atomics = report.counters
    counters.global_reads += reads
    counters.global_writes += writes
    counters.shared_reads += shared_reads
    counters.shared_writes += shared_writes
    counters.atomics += atomics
