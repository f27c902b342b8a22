"""A training step on paper: its time, its memory and the best plan, for 2 ranks or 4,096.

A list of layers with their times (`measure` here, or `transformer` by formula), a `Topology` of
links and a `Plan` give a `Step`. `norch.distributed.simulate` re-exports these names. Nothing here
sends a message but `measure_link` and `slowest`.
"""

from norch_ddp.simulate.compute import Compute, Layer, measure, transformer
from norch_ddp.simulate.drawing import scaling, timeline
from norch_ddp.simulate.links import measure_link, slowest
from norch_ddp.simulate.network import Level, Topology
from norch_ddp.simulate.plan import Memory, Plan, memory
from norch_ddp.simulate.schedule import Gradient, bucket_schedule
from norch_ddp.simulate.steps import Event, Step, best, simulate

__all__ = [
    "Compute",
    "Event",
    "Gradient",
    "Layer",
    "Level",
    "Memory",
    "Plan",
    "Step",
    "Topology",
    "best",
    "bucket_schedule",
    "measure",
    "measure_link",
    "memory",
    "scaling",
    "simulate",
    "slowest",
    "timeline",
    "transformer",
]
