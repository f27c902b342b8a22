"""Matrix products on a GPU: the switches of `torch.backends.cuda.matmul`, and what was built."""

from dataclasses import dataclass


@dataclass(slots=True)
class Matmul:
    """Whether float32 products may be rounded to TF32: kept for scripts, read by nothing.

    >>> matmul.allow_tf32 = True
    >>> matmul.allow_tf32
    True
    """

    allow_tf32: bool = False
    allow_fp16_reduced_precision_reduction: bool = True
    allow_bf16_reduced_precision_reduction: bool = True


matmul = Matmul()


def is_built() -> bool:
    """True: the CUDA kernels are part of norch. `norch.cuda.is_available()` asks for a GPU.

    >>> is_built()
    True
    """
    return True
