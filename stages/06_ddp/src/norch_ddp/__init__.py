"""Many processes, one model: collectives, a ring, data parallel training, a launcher.

`norch.distributed` re-exports these names. Importing this package starts no MPI: that is
`init_process_group`'s part, and a process that no launcher started never needs it.
"""

from norch_ddp.collectives.collectives import (
    ReduceOp,
    all_gather,
    all_reduce,
    barrier,
    broadcast,
    gather,
    irecv,
    isend,
    monitored_barrier,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    send,
)
from norch_ddp.collectives.composed import (
    P2POp,
    all_gather_into_tensor,
    all_gather_single,
    all_to_all,
    all_to_all_single,
    batch_isend_irecv,
    reduce_scatter_single,
    reduce_scatter_tensor,
)
from norch_ddp.collectives.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from norch_ddp.collectives.ring import ring_all_reduce
from norch_ddp.data_parallel.comm_hooks import GradBucket
from norch_ddp.data_parallel.data_parallel import DistributedDataParallel
from norch_ddp.data_parallel.sampler import DistributedSampler
from norch_ddp.data_parallel.sync_batchnorm import SyncBatchNorm
from norch_ddp.groups.device_mesh import DeviceMesh, init_device_mesh
from norch_ddp.groups.process_group import (
    ProcessGroup,
    destroy_process_group,
    get_backend,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
)
from norch_ddp.groups.subgroup import (
    GroupMember,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    group,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
)
from norch_ddp.launch.environment import get_node_local_rank, is_torchelastic_launched
from norch_ddp.launch.store import (
    DistStoreError,
    FileStore,
    HashStore,
    PrefixStore,
    Store,
    TCPStore,
)
from norch_ddp.transports.backend import (
    Backend,
    get_default_backend_for_device,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_ucc_available,
    is_xccl_available,
)
from norch_ddp.transports.mpi import is_mpi_available
from norch_ddp.transports.nccl import is_nccl_available
from norch_ddp.transports.work import Work

__all__ = [
    # the group
    "init_process_group",
    "destroy_process_group",
    "Backend",
    "ProcessGroup",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "get_rank",
    "get_node_local_rank",
    "get_world_size",
    "get_backend",
    "get_default_backend_for_device",
    # tables that processes share
    "Store",
    "TCPStore",
    "FileStore",
    "HashStore",
    "PrefixStore",
    "DistStoreError",
    # groups of some ranks
    "GroupMember",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "group",
    "new_group",
    "DeviceMesh",
    "init_device_mesh",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    # collectives
    "ReduceOp",
    "Work",
    "barrier",
    "monitored_barrier",
    "broadcast",
    "all_reduce",
    "reduce",
    "all_gather",
    "gather",
    "scatter",
    "reduce_scatter",
    "all_gather_into_tensor",
    "all_gather_single",
    "reduce_scatter_tensor",
    "reduce_scatter_single",
    "all_to_all",
    "all_to_all_single",
    "ring_all_reduce",
    # messages
    "send",
    "recv",
    "isend",
    "irecv",
    "P2POp",
    "batch_isend_irecv",
    # objects
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "scatter_object_list",
    "send_object_list",
    "recv_object_list",
    # training
    "DistributedDataParallel",
    "GradBucket",
    "SyncBatchNorm",
    "DistributedSampler",
]
