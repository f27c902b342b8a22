"""What norch computes with, under the names that PyTorch's scripts ask for or set.

Questions are answered truthfully; `kernels` has the switches that are obeyed, `absent` what norch
does without. The page book/library/tensors.md names its functions.
"""

from norch_extras.backends import accelerator as accelerator
from norch_extras.backends.kernels import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
    get_float32_matmul_precision as get_float32_matmul_precision,
    set_float32_matmul_precision as set_float32_matmul_precision,
    use_deterministic_algorithms as use_deterministic_algorithms,
)
