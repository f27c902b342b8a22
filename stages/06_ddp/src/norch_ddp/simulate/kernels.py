"""How long a kernel takes by its shape, on three processors with published figures.

A product of (m, k) and (k, n) in bfloat16 takes

    2 m n k / rate  +  2 (m k + k n + m n) / bandwidth  +  launch

seconds: to compute, to move its three matrices once, to start. So its efficiency grows with the
sizes, 1 / (1 + rate / bandwidth (1/m + 1/n + 1/k)), without any table: within 4 % of a published
curve of an H800 (tests/test_simulate_published.py). Called by `transformer`.
"""

from __future__ import annotations

from typing import NamedTuple

from norch_ddp.simulate.network import Level, Topology


class Processor(NamedTuple):
    """A GPU or TPU: operations and bytes a second, as its data sheet and its users tell.

    `peak` is the data sheet's, of which MFU is a share; `rate` what a large product sustains;
    `bandwidth` of the memory, `room` its bytes; `launch` the seconds to start a kernel;
    `attention` the share of `rate` that fused attention has.

    >>> [round(H100.efficiency(n, n, n), 2) for n in (256, 1024, 4096, 16384)]
    [0.01, 0.23, 0.53, 0.59]
    """

    name: str
    peak: float
    rate: float
    bandwidth: float
    room: float
    launch: float = 4e-6
    attention: float = 0.75

    def matmul(self, m: float, n: float, k: float) -> float:
        """Return the seconds of a product (m, k) x (k, n)."""
        return 2 * m * n * k / self.rate + self.sweep(2 * (m * k + k * n + m * n))

    def sweep(self, nbytes: float) -> float:
        """Return the seconds of a kernel that does nothing but read and write so many bytes."""
        return nbytes / self.bandwidth + self.launch

    def efficiency(self, m: float, n: float, k: float) -> float:
        """Return which share of the peak a product of these sizes has."""
        return 2 * m * n * k / self.peak / self.matmul(m, n, k)


A100 = Processor("A100 80 GB", 312e12, 234e12, 2.0e12, 80e9)
H100 = Processor("H100 80 GB", 989e12, 600e12, 3.35e12, 80e9)
TPU_V4 = Processor("TPU v4", 275e12, 215e12, 1.2e12, 32e9)
"""Peaks, bandwidths and bytes are of the data sheets. Each `rate` is the one number that is fitted:
to Megatron-LM's throughput by width (Narayanan et al., SC 2021, table 1), to Llama 3's first row
(2024, table 4), and to PaLM's MFU (2022). In a run of milliseconds it is higher, 271 and 795 TF/s
at the best shape (Bekman, "Machine Learning Engineering", matmul FLOPS table): for weeks, all GPUs
of a node at once, clocks are lower."""

_LINKS = {A100: (230e9, 0.93 * 8 * 25e9, 1.0), H100: (370e9, 0.93 * 8 * 50e9, 1.3)}
"""GB/s that NCCL reaches from a GPU inside a node, and from a node over a card of 25 or 50 GB/s for
each GPU; and the gain of NVLink SHARP (nccl-tests, issues 212 and 290)."""


def cluster(processor: Processor, nodes: int) -> Topology:
    """Return nodes of eight GPUs with NVLink, and a network card of 200 or 400 Gbit/s for each.

    >>> cluster(H100, 128).ranks
    1024
    """
    if processor not in _LINKS or nodes < 1:
        known = " and ".join(one.name for one in _LINKS)
        raise ValueError(
            f"[cluster] {nodes} nodes of {processor.name}: expected at least one, of {known}; for "
            "others say the levels with Topology(Level(...), ...)"
        )
    inside, outside, sums = _LINKS[processor]
    node = Level("NVLink", 8, 3e-6, inside, sums=sums)
    network = Level("network", 8 * nodes, 15e-6, outside)
    return Topology(node, network) if nodes > 1 else Topology(node)
