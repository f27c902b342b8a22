"""Which vector instructions the CPU's kernels use."""

from __future__ import annotations

import norch_cpu_ops

_NAMES = {"avx512": "AVX512", "avx2": "AVX2"}


def get_cpu_capability() -> str:
    """The instruction set in use, by PyTorch's name: "AVX512", "AVX2" or "DEFAULT".

    Source: `torch.backends.cpu.get_cpu_capability`.

    >>> get_cpu_capability() in {"AVX512", "AVX2", "DEFAULT"}
    True
    """
    return _NAMES.get(norch_cpu_ops.instruction_set(), "DEFAULT")
