"""Which kernel computes attention: `sdpa_kernel`, by which PyTorch's scripts choose one.

Users know it as `norch.nn.attention`. norch has one kernel for a device, which does not ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum


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
