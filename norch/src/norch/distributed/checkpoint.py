"""Sharded checkpoints, for any number of ranks: re-exported from stage 6, `norch_ddp.parallel`."""

from norch_ddp.parallel.checkpoint import load as load, save as save
