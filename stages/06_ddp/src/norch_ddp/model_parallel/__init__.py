"""A model split among ranks: its parameters, optimizer state, layers, sequence or stages.

`data_parallel` splits the data alone: every rank holds the whole model. Each way to split is one
file that opens with what it costs, and trains as one process would: its tests compare the two.
`norch.distributed.parallel` re-exports these names; `import norch` alone does not load them.
"""

from norch_ddp.model_parallel.context_parallel import ring_attention, zigzag_part
from norch_ddp.model_parallel.fully_shard import FSDPModule, fully_shard
from norch_ddp.model_parallel.gradients import average_gradients, clip_grad_norm_
from norch_ddp.model_parallel.interleaved import ScheduleInterleaved1F1B
from norch_ddp.model_parallel.layouts import Replicate, Shard
from norch_ddp.model_parallel.mixed_precision import MixedPrecisionPolicy
from norch_ddp.model_parallel.parallel_styles import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from norch_ddp.model_parallel.pipeline import PipelineStage, Schedule1F1B, ScheduleGPipe
from norch_ddp.model_parallel.sharded_grad_scaler import ShardedGradScaler
from norch_ddp.model_parallel.sharding import ShardedParameter, ShardMetadata
from norch_ddp.model_parallel.tensor_parallel import (
    ColumnParallelLinear,
    RowParallelLinear,
    VocabParallelEmbedding,
    vocab_parallel_cross_entropy,
)
from norch_ddp.model_parallel.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from norch_ddp.transports.traffic import count_traffic

__all__ = [
    # ZeRO: state, gradients, parameters
    "ZeroRedundancyOptimizer",
    "fully_shard",
    "FSDPModule",
    "MixedPrecisionPolicy",
    "Shard",
    "ShardMetadata",
    "ShardedParameter",
    # tensor parallel
    "parallelize_module",
    "ColwiseParallel",
    "RowwiseParallel",
    "SequenceParallel",
    "PrepareModuleInput",
    "PrepareModuleOutput",
    "Replicate",
    "ColumnParallelLinear",
    "RowParallelLinear",
    "VocabParallelEmbedding",
    "vocab_parallel_cross_entropy",
    # pipeline
    "PipelineStage",
    "ScheduleGPipe",
    "Schedule1F1B",
    "ScheduleInterleaved1F1B",
    # context parallel
    "ring_attention",
    "zigzag_part",
    # with any of them
    "average_gradients",
    "clip_grad_norm_",
    "ShardedGradScaler",
    "count_traffic",
]
