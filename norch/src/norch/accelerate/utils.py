"""What scripts import from `accelerate.utils`: from `norch_extras`."""

from norch_extras.accelerate.utils import (
    DistributedDataParallelKwargs as DistributedDataParallelKwargs,
    set_seed as set_seed,
)
