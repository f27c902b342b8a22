"""Compiles a .cu text for several GPUs and reads what the assembler says. No GPU takes part.

NVRTC makes PTX of it once, ptxas assembles that for each architecture, nvdisasm shows the machine
code where loops are wanted. gpu_static.py calls it and judges; what was found is kept by its text.
"""

import ctypes
import hashlib
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import machine_loops
from machine_loops import Loop
from test_gpu_compilers import compile_with_nvrtc  # type: ignore[import-not-found]

from norch_cuda.profiling.register_table import CAPABILITIES, fingerprint
from norch_cuda.runtime.nvrtc import WITHOUT_FMA
from norch_cuda.runtime.sources import KernelSource, source_directory

_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


class Assembled(NamedTuple):
    """What ptxas says of one kernel, and the inner loops where they are asked for."""

    registers: int
    shared: int
    frame: int
    loops: list[Loop]


Kernels = dict[str, Assembled]


class Programs(NamedTuple):
    """The compilers of the environment."""

    nvrtc: Path
    ptxas: Path
    nvdisasm: Path
    wheels: str  # what they were installed from


def assemble(
    tools: Programs, source: KernelSource, folder: Path, loops: bool
) -> dict[int, Kernels]:
    """Compile a text for every architecture, or find it compiled in a folder."""
    options = ["-std=c++17", f"-I{source_directory()}", "--gpu-architecture=compute_75"]
    options += ["--fmad=false"] * (source.family in WITHOUT_FMA)
    parts = [source.family, fingerprint(source), *options[2:], str(loops), tools.wheels]
    parts += [Path(path).read_text() for path in (__file__, machine_loops.__file__)]
    kept = folder / hashlib.sha256("\0".join(parts).encode()).hexdigest()
    if kept.exists():
        return read(kept.read_text())
    ptx = compile_with_nvrtc(ctypes.CDLL(str(tools.nvrtc)), source.typed_text, options)
    found = {each: assemble_for(tools, ptx, each, kept, loops) for each in CAPABILITIES}
    kept.write_text(json.dumps(found, default=lambda loop: dict(loop.counts)))
    return found


def read(text: str) -> dict[int, Kernels]:
    """Read what `assemble` keeps."""
    found = json.loads(text)
    return {
        int(capability): {
            name: Assembled(registers, shared, frame, [Loop(Counter(counts)) for counts in loops])
            for name, (registers, shared, frame, loops) in kernels.items()
        }
        for capability, kernels in found.items()
    }


def assemble_for(tools: Programs, ptx: str, capability: int, kept: Path, loops: bool) -> Kernels:
    """Assemble one PTX text for one architecture."""
    text, image = (kept.with_suffix(f".{capability}.{end}") for end in ("ptx", "cubin"))
    text.write_text(re.sub(r"^\.target .*", f".target sm_{capability}", ptx, flags=re.MULTILINE))
    command = [str(tools.ptxas), "-v", f"-arch=sm_{capability}", str(text), "-o", str(image)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    disassembly = ""
    if loops:
        command = [str(tools.nvdisasm), "-c", str(image)]
        disassembly = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for path in (text, image):
        path.unlink()
    return read_kernels(said, machine_loops.inner_loops(disassembly))


def read_kernels(said: str, loops: dict[str, list[Loop]]) -> Kernels:
    """Read what `ptxas -v` says: of a kernel, then of the functions that it calls."""
    pieces = _ENTRY.split(said)[1:]
    found = {}
    for name, piece in zip(pieces[::2], pieces[1::2], strict=True):
        used, shared = _USED.search(piece), _SHARED.search(piece)
        frame = max(max(map(int, numbers)) for numbers in _FRAME.findall(piece))
        registers = int(used[1]) if used else 0
        found[name] = Assembled(
            registers, int(shared[1]) if shared else 0, frame, loops.get(name, [])
        )
    return found
