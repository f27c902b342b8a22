"""Pipelines, where PyTorch has them: re-exported from stage 6, `norch_ddp.parallel`."""

from norch_ddp.parallel import (
    PipelineStage as PipelineStage,
    Schedule1F1B as Schedule1F1B,
    ScheduleGPipe as ScheduleGPipe,
)
