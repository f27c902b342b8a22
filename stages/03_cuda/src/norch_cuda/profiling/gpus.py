"""GPUs by name: what a kernel's counts would mean there. Estimates; nothing here is measured.

Occupancy is arithmetic on what an SM has to share out. The roofline is the time that the busiest
of four parts needs at its peak: no cache, no latency, no waiting.

Sources: threads, blocks, registers and shared memory of an SM from the table of technical
specifications per compute capability in NVIDIA's CUDA C++ Programming Guide; SMs, lanes, clocks and
bandwidth from the data sheets of A100 (40 GB), H100 (SXM) and T4 and the Ada whitepaper (RTX 4090);
tensor cores from the whitepapers of Turing, Ampere, Hopper and Ada, without sparsity.
"""

from __future__ import annotations

from typing import NamedTuple

_WARP = 32
_PASS_BYTES = 128  # what the shared memory of an SM serves in a clock
_REGISTERS_TOGETHER = 256  # of a warp
_SHARED_TOGETHER = 128


class Gpu(NamedTuple):
    """What one model has; per SM where not said otherwise."""

    capability: str
    sms: int  # of the GPU
    lanes: int  # float32 multiply-adds a clock
    ghz: float  # boost
    bandwidth: float  # of the GPU's memory, GB/s
    threads: int
    blocks: int
    registers: int
    shared: int  # bytes that blocks can have, each with `system` more
    system: int
    double: int  # float32 operations in the time of one float64 operation
    tensor: int  # multiply-adds of float16 a clock by tensor cores, added in float32

    @property
    def peak(self) -> float:
        """Floating-point operations in a nanosecond: a multiply-add is two."""
        return self.sms * self.lanes * 2 * self.ghz


GPUS = {
    "T4": Gpu("7.5", 40, 64, 1.59, 320, 1024, 16, 65536, 64 << 10, 0, 32, 512),
    "A100": Gpu("8.0", 108, 64, 1.41, 1555, 2048, 32, 65536, 164 << 10, 1024, 2, 1024),
    "RTX 4090": Gpu("8.9", 128, 128, 2.52, 1008, 1536, 24, 65536, 100 << 10, 1024, 64, 256),
    "H100": Gpu("9.0", 132, 128, 1.98, 3350, 2048, 32, 65536, 228 << 10, 1024, 2, 2048),
}


class Occupancy(NamedTuple):
    """How full an SM can be with blocks of one kernel, and of what there is no more then."""

    fraction: float  # of the SM's threads
    blocks: int
    limit: str  # "threads", "blocks", "shared memory" or "registers"


class Estimate(NamedTuple):
    """A roofline's time, and the part that needs it."""

    microseconds: float
    limit: str  # "global memory", "shared memory", "arithmetic" or "tensor cores"


def gpu(name: str) -> Gpu:
    """Look a GPU up; ValueError lists those there are."""
    if name not in GPUS:
        raise ValueError(f"[profile] GPU {name!r}: expected one of {', '.join(GPUS)}")
    return GPUS[name]


def occupancy(gpu: Gpu, threads: int, shared: int, registers: int) -> Occupancy:
    """Blocks of `threads` that fit on an SM; shared bytes are a block's, registers a thread's."""
    warps = -(-threads // _WARP)
    fits = {"threads": gpu.threads // (warps * _WARP), "blocks": gpu.blocks}
    wanted = -(-shared // _SHARED_TOGETHER) * _SHARED_TOGETHER + gpu.system
    if wanted:
        fits["shared memory"] = gpu.shared // wanted
    of_warp = -(-registers * _WARP // _REGISTERS_TOGETHER) * _REGISTERS_TOGETHER
    fits["registers"] = gpu.registers // of_warp // warps
    limit = min(fits, key=lambda name: fits[name])
    return Occupancy(fits[limit] * warps * _WARP / gpu.threads, fits[limit], limit)


def roofline(
    gpu: Gpu, traffic: int, passes: int, operations: int, tensor: int, double: bool
) -> Estimate:
    """The time at the peaks; `traffic` is in bytes, `passes` are those of shared memory.

    `tensor` are the operations of tensor cores, `operations` all others.
    """
    nanoseconds = {
        "global memory": traffic / gpu.bandwidth,
        "shared memory": passes / (gpu.sms * gpu.ghz),
        "arithmetic": operations * (gpu.double if double else 1) / gpu.peak,
        "tensor cores": tensor * gpu.lanes / gpu.tensor / gpu.peak,
    }
    limit = max(nanoseconds, key=lambda name: nanoseconds[name])
    return Estimate(nanoseconds[limit] / 1000, limit)
