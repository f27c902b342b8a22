"""Models that do not fit in one process: re-exported from stage 6, `norch_ddp.parallel`."""

from norch_ddp.parallel import (
    ColumnParallelLinear as ColumnParallelLinear,
    ColwiseParallel as ColwiseParallel,
    FSDPModule as FSDPModule,
    PipelineStage as PipelineStage,
    RowParallelLinear as RowParallelLinear,
    RowwiseParallel as RowwiseParallel,
    Schedule1F1B as Schedule1F1B,
    ScheduleGPipe as ScheduleGPipe,
    Shard as Shard,
    ShardedParameter as ShardedParameter,
    VocabParallelEmbedding as VocabParallelEmbedding,
    ZeroRedundancyOptimizer as ZeroRedundancyOptimizer,
    average_gradients as average_gradients,
    clip_grad_norm_ as clip_grad_norm_,
    count_traffic as count_traffic,
    fully_shard as fully_shard,
    parallelize_module as parallelize_module,
    ring_attention as ring_attention,
    vocab_parallel_cross_entropy as vocab_parallel_cross_entropy,
)
