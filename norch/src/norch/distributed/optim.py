"""ZeRO-1, where PyTorch has it: re-exported from stage 6, `norch_ddp.parallel`."""

from norch_ddp.parallel import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer
