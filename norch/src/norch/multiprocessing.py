"""Python's multiprocessing under PyTorch's name, and stage 6's `spawn`.

A tensor that goes to another process is copied, not shared. Not loaded by `import norch`.
"""

from multiprocessing import (
    Array as Array,
    Barrier as Barrier,
    Condition as Condition,
    Event as Event,
    JoinableQueue as JoinableQueue,
    Lock as Lock,
    Manager as Manager,
    Pipe as Pipe,
    Pool as Pool,
    Process as Process,
    Queue as Queue,
    RLock as RLock,
    Semaphore as Semaphore,
    SimpleQueue as SimpleQueue,
    Value as Value,
    active_children as active_children,
    cpu_count as cpu_count,
    current_process as current_process,
    freeze_support as freeze_support,
    get_all_start_methods as get_all_start_methods,
    get_context as get_context,
    get_start_method as get_start_method,
    parent_process as parent_process,
    set_start_method as set_start_method,
)

from norch_ddp.launch.spawn import (
    ProcessContext as ProcessContext,
    ProcessException as ProcessException,
    ProcessExitedException as ProcessExitedException,
    ProcessRaisedException as ProcessRaisedException,
    spawn as spawn,
    start_processes as start_processes,
)
