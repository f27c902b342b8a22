"""Headers of the libraries that whole CUDA programs include, for `norch-nvcc` to find.

cuBLAS, cuRAND's host functions, thrust, NVTX, the helpers of CUDA's samples, and of the runtime
API textures and graphs: the part that ordinary programs use, written anew over the simulator.
norch_cuda finds this folder by the entry point `norch_cuda.headers`; book/chapters/03_cuda.ipynb
runs whole programs.
"""

from pathlib import Path


def folder() -> Path:
    """The folder of the headers.

    >>> (folder() / "cublas_v2.h").is_file()
    True
    """
    return Path(__file__).parent / "headers"
