"""Which kernels compute, and how exactly: the CPU's instructions, float32 products, determinism.

norch multiplies float32 in float32 and has one kernel for attention, whatever is asked for; scripts
set these switches and go on. The CPU's kernels give the same numbers in every run; on CUDA devices
a few sums cannot (stage 3 says which): they raise or warn when determinism is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum

import norch_cpu_ops

_NAMES = {"avx512": "AVX512", "avx2": "AVX2"}


def get_cpu_capability() -> str:
    """The CPU backend's instruction set in use: "AVX512", "AVX2" or "DEFAULT", as in PyTorch.

    Source: `torch.backends.cpu.get_cpu_capability`.

    >>> get_cpu_capability() in {"AVX512", "AVX2", "DEFAULT"}
    True
    """
    return _NAMES.get(norch_cpu_ops.instruction_set(), "DEFAULT")


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
    """True: the CUDA backend is part of norch. `norch.cuda.is_available()` asks for a GPU.

    >>> is_built()
    True
    """
    return True


def preferred_blas_library(backend: str | None = None) -> str:
    """Choose who multiplies matrices in the CUDA backend, and return the choice.

    "cublas" is NVIDIA's library, "norch" has kernels of its own, "default" takes the former where
    CuPy finds it. Source: `torch.backends.cuda.preferred_blas_library`.

    >>> preferred_blas_library()
    'default'
    """
    import norch_cuda

    return str(norch_cuda.preferred_blas_library(backend))


def set_float32_matmul_precision(precision: str) -> None:
    """Set the backends' switch for float32 products: how exact, "highest", "high" or "medium".

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
    """What the backends' switch for float32 products was set to last, "highest" at first.

    >>> get_float32_matmul_precision()
    'highest'
    """
    return matmul.precision


class SDPBackend(IntEnum):
    """PyTorch's backends of scaled dot product attention, by name.

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
    """Name the backends that attention may use in this block; norch's own kernel is used anyway.

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


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Set the switch of all backends for determinism: what may differ from run to run raises.

    The error is RuntimeError; with `warn_only` there is a warning instead. On the CPU nothing may
    differ; on CUDA devices what adds floats at places named by an index. Raises TypeError for what
    is no bool. Source: `torch.use_deterministic_algorithms`.

    >>> use_deterministic_algorithms(True)
    >>> are_deterministic_algorithms_enabled()
    True
    >>> use_deterministic_algorithms(False)
    """
    import norch_cuda

    if not isinstance(mode, bool):
        raise TypeError(
            "[use_deterministic_algorithms] expected True or False, "
            f"got {type(mode).__name__} {mode!r}"
        )
    norch_cuda.require_determinism(mode, warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether the backends' switch for determinism is on.

    >>> are_deterministic_algorithms_enabled()
    False
    """
    import norch_cuda

    return bool(norch_cuda.is_determinism_required())
