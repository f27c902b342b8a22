"""ZeRO-2 and ZeRO-3, where PyTorch has them: re-exported from stage 6, `norch_ddp.parallel`."""

from norch_ddp.parallel import FSDPModule as FSDPModule, fully_shard as fully_shard
