"""Which kernels of a GPU to use: the switches of `torch.backends.cuda.matmul` and of attention.

norch multiplies float32 in float32 and has one kernel for attention, whatever is asked for; scripts
set these and go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum

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


class SDPBackend(IntEnum):
    """PyTorch's kernels of scaled dot product attention, by name.

    >>> SDPBackend.MATH.name
    'MATH'
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(
    backends: SDPBackend | Iterable[SDPBackend], set_priority: bool = False
) -> Iterator[None]:
    """Name the kernels that attention may use in this block: norch's own is used whatever they are.

    Source: `torch.nn.attention.sdpa_kernel`. AssertionError for what is no `SDPBackend`.

    >>> with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    ...     norch.softmax(norch.zeros(2), 0)
    tensor([0.5000, 0.5000])
    """
    named = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(named, list) or not all(isinstance(each, SDPBackend) for each in named):
        raise AssertionError(
            f"[sdpa_kernel] expected a SDPBackend or a list of them, got {backends!r}"
        )
    yield
