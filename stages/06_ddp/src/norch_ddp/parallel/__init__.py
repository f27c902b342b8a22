"""Models that do not fit in one process: each strategy in one file, that opens with what it costs.

`norch.distributed.parallel` re-exports these names. Nothing here is loaded before it is asked for,
and every strategy trains as one process would: that is what their tests compare.
"""

from norch_ddp.parallel.context_parallel import ring_attention
from norch_ddp.parallel.fully_shard import FSDPModule, fully_shard
from norch_ddp.parallel.gradients import average_gradients, clip_grad_norm_
from norch_ddp.parallel.pipeline import PipelineStage, Schedule1F1B, ScheduleGPipe
from norch_ddp.parallel.sharding import Shard, ShardedParameter
from norch_ddp.parallel.tensor_parallel import (
    ColumnParallelLinear,
    ColwiseParallel,
    RowParallelLinear,
    RowwiseParallel,
    VocabParallelEmbedding,
    parallelize_module,
    vocab_parallel_cross_entropy,
)
from norch_ddp.parallel.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from norch_ddp.transports.traffic import count_traffic

__all__ = [
    # ZeRO: state, gradients, parameters
    "ZeroRedundancyOptimizer",
    "fully_shard",
    "FSDPModule",
    "Shard",
    "ShardedParameter",
    # tensor parallel
    "parallelize_module",
    "ColwiseParallel",
    "RowwiseParallel",
    "ColumnParallelLinear",
    "RowParallelLinear",
    "VocabParallelEmbedding",
    "vocab_parallel_cross_entropy",
    # pipeline
    "PipelineStage",
    "ScheduleGPipe",
    "Schedule1F1B",
    # context parallel
    "ring_attention",
    # with any of them
    "average_gradients",
    "clip_grad_norm_",
    "count_traffic",
]
