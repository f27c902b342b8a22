"""A training step on paper: its time, its memory and the best plan, for 2 ranks or 4,096.

A list of layers with their times (`measure` here, or `transformer` by formula), a `Topology` of
links and a `Plan` give a `Step`. `norch.distributed.simulate` re-exports these names. Nothing here
sends a message but `measure_link` and `slowest`.
"""

from .compute import Compute, Layer, measure, transformer
from .drawing import scaling, timeline
from .links import measure_link, slowest
from .network import Level, Topology
from .plan import Memory, Plan, memory
from .schedule import Gradient, bucket_schedule
from .steps import Event, Step, best, simulate

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
