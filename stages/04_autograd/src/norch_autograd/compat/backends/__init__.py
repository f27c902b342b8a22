"""What norch computes with, under the names that PyTorch's scripts ask for or set.

norch has kernels of its own and no cuDNN, MPS or oneDNN. Questions are answered truthfully; the
switches of cuDNN can be set, so that a script runs unchanged, and nothing reads them.
determinism.py has the switch that is obeyed.
"""

from norch_autograd.compat.backends import (
    cpu as cpu,
    cuda as cuda,
    cudnn as cudnn,
    mkldnn as mkldnn,
    mps as mps,
)
