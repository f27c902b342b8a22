"""The sampler of many processes: re-exported from stage 6, `norch_ddp`."""

from norch_ddp import DistributedSampler as DistributedSampler
