"""Matrix products on a GPU: the switches of `torch.backends.cuda.matmul`, and what was built.

norch multiplies float32 in float32 whatever is asked for; scripts set these and go on.
"""

from __future__ import annotations

_PRECISIONS = ("highest", "high", "medium")


class Matmul:
    """How roughly float32 products may be computed: kept for scripts, read by no kernel.

    >>> matmul.allow_tf32 = True
    >>> get_float32_matmul_precision()
    'high'
    >>> matmul.allow_tf32 = False
    """

    __slots__ = ("precision",)

    def __init__(self) -> None:
        self.precision = "highest"

    @property
    def allow_tf32(self) -> bool:
        """Whether TF32 (10 bits after the point) would do; the same as a precision of "high"."""
        return self.precision != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        self.precision = "high" if allowed else "highest"


matmul = Matmul()


def is_built() -> bool:
    """True: the CUDA kernels are part of norch. `norch.cuda.is_available()` asks for a GPU.

    >>> is_built()
    True
    """
    return True


def set_float32_matmul_precision(precision: str) -> None:
    """Say how exact float32 products must be: "highest", "high" or "medium".

    norch's are always exact to float32. Raises RuntimeError for anything else, where PyTorch goes
    on without a word. Source: `torch.set_float32_matmul_precision`.

    >>> set_float32_matmul_precision("highest")
    """
    if precision not in _PRECISIONS:
        raise RuntimeError(
            f"[set_float32_matmul_precision] got {precision!r}; expected one of "
            f"{', '.join(_PRECISIONS)}"
        )
    matmul.precision = precision


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given last, "highest" at first.

    >>> get_float32_matmul_precision()
    'highest'
    """
    return matmul.precision
