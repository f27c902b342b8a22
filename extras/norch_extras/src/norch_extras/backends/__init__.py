"""What norch computes with, under the names that PyTorch's scripts ask for or set.

norch has kernels of its own and no cuDNN, MPS or oneDNN. Questions are answered truthfully; the
switches of cuDNN can be set, so that a script runs unchanged, and nothing reads them.
determinism.py has the switch that is obeyed. The page book/library/tensors.md names its functions.
"""

from norch_extras.backends import (
    accelerator as accelerator,
    cpu as cpu,
    cuda as cuda,
    cudnn as cudnn,
    mkldnn as mkldnn,
    mps as mps,
)
from norch_extras.backends.cuda import (
    get_float32_matmul_precision as get_float32_matmul_precision,
    set_float32_matmul_precision as set_float32_matmul_precision,
)
from norch_extras.backends.determinism import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
    use_deterministic_algorithms as use_deterministic_algorithms,
)
