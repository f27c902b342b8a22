"""One loop for one process or many: re-exported from stage 6, `norch_ddp.accelerate`."""

from norch_ddp.accelerate import (
    Accelerator as Accelerator,
    GeneralTracker as GeneralTracker,
    JSONLinesTracker as JSONLinesTracker,
)
