"""What happens to elements: a C++ array, its kernels, threads and allocator.

`Array` owns memory, `ops` holds the operations, this module the dtypes and the engine's switches.
Where an element lives is decided in `norch_strides`; nothing here knows about gradients.
"""

from norch_cpu_ops import ops as ops
from norch_cpu_ops._cpu import Array as Array
from norch_cpu_ops._cpu import DType as DType
from norch_cpu_ops._cpu import bfloat16 as bfloat16
from norch_cpu_ops._cpu import blas as blas
from norch_cpu_ops._cpu import bool_ as bool_
from norch_cpu_ops._cpu import empty_cache as empty_cache
from norch_cpu_ops._cpu import float16 as float16
from norch_cpu_ops._cpu import float32 as float32
from norch_cpu_ops._cpu import float64 as float64
from norch_cpu_ops._cpu import get_num_threads as get_num_threads
from norch_cpu_ops._cpu import instruction_set as instruction_set
from norch_cpu_ops._cpu import int32 as int32
from norch_cpu_ops._cpu import int64 as int64
from norch_cpu_ops._cpu import memory_stats as memory_stats
from norch_cpu_ops._cpu import promote_types as promote_types
from norch_cpu_ops._cpu import set_blas_enabled as set_blas_enabled
from norch_cpu_ops._cpu import set_cache_limit as set_cache_limit
from norch_cpu_ops._cpu import set_instruction_set as set_instruction_set
from norch_cpu_ops._cpu import set_num_threads as set_num_threads
from norch_cpu_ops._cpu import uint8 as uint8
from norch_cpu_ops.ops import OPERATIONS as OPERATIONS

# An array knows the operations of its device: a.ops.add(a, b) works for every kind of array.
Array.ops = ops
