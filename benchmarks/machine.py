"""Names the machine and the versions, and asks for its limits; the head of the report."""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, environment
from benchmarks.workload import FURTHER, Workload

FRAMEWORKS = ("norch", "torch", "numpy")
NEAR = 48 << 20  # bytes moved: midway between the sizes at which limits.py measures three arrays
# A BLAS chooses its kernels by the environment of its process: asked where a worker's holds.
NORCH_KERNELS = """import norch, norch_cpu_ops as engine
print(f"kernels for {engine.instruction_set()}, BLAS: {engine.blas()}")"""
# NumPy's own OpenBLAS is another copy than norch's.
NUMPY_BLAS = """import ctypes, pathlib, numpy
for file in (pathlib.Path(numpy.__file__).parent.parent / "numpy.libs").glob("*openblas*"):
    config = getattr(ctypes.CDLL(str(file)), "scipy_openblas_get_config64_", None)
    if config is not None:
        config.restype = ctypes.c_char_p
        print(config().decode())"""


def read(path: str) -> str:
    """Return a file of the system, or nothing where it does not exist (any more)."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def processor() -> str:
    """Return the processor's name, with family and model where the name says little."""
    fields = {}
    for line in read("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    if "model name" in fields:
        details = [fields.get("cpu family"), fields.get("model")]
        return f"{fields['model name']} (family {details[0]}, model {details[1]})"
    if sys.platform == "darwin":
        return output(["sysctl", "-n", "machdep.cpu.brand_string"]) or platform.processor()
    return platform.processor() or platform.machine()


def busy_seconds() -> float | None:
    """Return the seconds that all cores together have worked since the start; None if unknown."""
    fields = read("/proc/stat").partition("\n")[0].split()[1:9]
    if len(fields) < 8:
        return None
    user, nice, system, _idle, _waiting, *interrupts = map(int, fields)
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def process_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process has used; 0 if unknown."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def runs(pid: int) -> bool:
    """Say whether any thread of a process runs or wants to; no where the system does not tell."""
    threads = Path(f"/proc/{pid}/task").glob("*/stat")
    return any(read(str(each)).rpartition(")")[2].split()[:1] == ["R"] for each in threads)


def output(command: list[str]) -> str:
    """Return what a command prints in a worker's environment, or nothing if it fails."""
    told: dict[str, Any] = {"cwd": ROOT, "env": environment(1), "capture_output": True}
    try:
        done = subprocess.run(command, text=True, check=False, **told)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def last_cache() -> int:
    """Return the bytes of the last cache; 32 MiB where the system does not tell."""
    sizes = [read(f"/sys/devices/system/cpu/cpu0/cache/index{i}/size").strip() for i in range(5)]
    units = {"K": 1 << 10, "M": 1 << 20}
    found = [int(size[:-1]) * units[size[-1]] for size in sizes if size[-1:] in units]
    return max(found, default=32 << 20)


def version(framework: str) -> str:
    """Return the installed version of a framework; empty when it is not installed."""
    if importlib.util.find_spec(framework) is None:
        return ""
    return importlib.metadata.version(framework)


def find_frameworks() -> dict[str, str]:
    """Return the frameworks that can be measured, with their versions."""
    return {name: found for name in FRAMEWORKS if (found := version(name))}


def find_further() -> list[str]:
    """Return the further libraries that are installed; none has to be."""
    return [name for name in FURTHER if version(name)]


def missing_torch() -> str:
    """Return the sentence that names a missing torch, or nothing."""
    if version("torch"):
        return ""
    return (
        "[bench] torch is not installed: ratios and gates are not measured;"
        f" to measure them: {sys.executable} -m pip install torch==2.13.0"
    )


def facts(others: float | None = None) -> dict[str, str]:
    """Return what names the machine, the date and the versions; `others`: cores of other work."""
    memory = read("/proc/meminfo").splitlines()[:1] or ["unknown"]
    commit = output(["git", "rev-parse", "--short", "HEAD"])
    return {
        "processor": processor(),
        "cores": f"{cores()}, last cache {last_cache() >> 20} MiB",
        "memory": memory[0].removeprefix("MemTotal:").strip(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "other work": f"kept {others:.1f} cores busy meanwhile" if others else "not known",
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "norch": f"{version('norch')}{f' at commit {commit}' if commit else ''},"
        f" {output([sys.executable, '-c', NORCH_KERNELS])}",
        "torch": version("torch") or "not installed",
        "numpy": f"{version('numpy')}, BLAS: {output([sys.executable, '-c', NUMPY_BLAS])}",
        **{name: version(name) for name in find_further()},
    }


@dataclass(frozen=True, slots=True)
class Limits:
    """What the machine can do at most with so many threads: operations and bytes per second."""

    by: str
    operations: dict[str, float]  # by type; float32 always
    cache: dict[str, float]  # by the way bytes move: limits.py's STREAMS
    memory: dict[str, float]

    def of(self, work: Workload) -> float | None:
        """Return the best rate for a workload; None where it counts nothing.

        Of the two sizes that were measured it is held against the nearer: a virtual machine may
        name a cache that it shares with many others.
        """
        if work.flops:
            return self.operations.get(work.operations)
        place = self.cache if work.bytes < NEAR else self.memory
        return place[work.traffic] if work.bytes else None

    def scaling(self, one: Limits | None) -> float:
        """Return how many times the multiply-adds of one thread these threads do."""
        return self.operations["float32"] / one.operations["float32"] if one else float("inf")


def limits(threads: int) -> Limits:
    """Measure the limits in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.limits", str(threads)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(threads), stdout=subprocess.PIPE, text=True, check=True
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    return Limits(**measured)
