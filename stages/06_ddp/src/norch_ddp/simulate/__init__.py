"""A training step on paper: its time, its memory and the best plan, for 2 ranks or 16,384.

A list of layers with their times (`measure` here, or by formula: `transformer`, `Architecture.on`),
a `Topology` of links and a `Plan` give a `Step`. `norch.distributed.simulate` re-exports these
names. Nothing here sends a message but `measure_link` and `slowest`.
"""

from norch_ddp.simulate.compute import Compute, Layer
from norch_ddp.simulate.drawing import scaling, timeline
from norch_ddp.simulate.failures import (
    checkpoint_interval,
    critical_batch,
    mean_time_between_failures,
)
from norch_ddp.simulate.kernels import A100, H100, TPU_V4, Processor, cluster
from norch_ddp.simulate.links import measure_link, slowest
from norch_ddp.simulate.measured import measure
from norch_ddp.simulate.network import Level, Topology
from norch_ddp.simulate.plan import Memory, Plan, memory
from norch_ddp.simulate.schedule import Gradient, bucket_schedule
from norch_ddp.simulate.search import best, compare
from norch_ddp.simulate.stage import Event, Parts
from norch_ddp.simulate.steps import Step, simulate
from norch_ddp.simulate.transformer import (
    LLAMA3_405B,
    PALM_540B,
    Architecture,
    gpt,
    transformer,
)

__all__ = [
    "A100",
    "H100",
    "LLAMA3_405B",
    "PALM_540B",
    "TPU_V4",
    "Architecture",
    "Compute",
    "Event",
    "Gradient",
    "Layer",
    "Level",
    "Memory",
    "Parts",
    "Plan",
    "Processor",
    "Step",
    "Topology",
    "best",
    "bucket_schedule",
    "checkpoint_interval",
    "cluster",
    "compare",
    "critical_batch",
    "gpt",
    "mean_time_between_failures",
    "measure",
    "measure_link",
    "memory",
    "scaling",
    "simulate",
    "slowest",
    "timeline",
    "transformer",
]
