"""Python's multiprocessing under PyTorch's name, and stage 6's `spawn`.

A tensor that goes to another process is copied, not shared. Not loaded by `import norch`.
"""

from multiprocessing import (
    Event as Event,
    Lock as Lock,
    Manager as Manager,
    Pipe as Pipe,
    Pool as Pool,
    Process as Process,
    Queue as Queue,
    SimpleQueue as SimpleQueue,
    Value as Value,
    cpu_count as cpu_count,
    current_process as current_process,
    freeze_support as freeze_support,
    get_context as get_context,
    get_start_method as get_start_method,
    set_start_method as set_start_method,
)

from norch_ddp.spawn import spawn as spawn
