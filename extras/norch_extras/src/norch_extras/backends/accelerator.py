"""The accelerator of this machine, if it has one: PyTorch's newest way to pick a device.

`device = accelerator.current_accelerator() or "cpu"` opens a script that runs anywhere. The
simulator is no accelerator and is never picked. Nothing here computes.
"""

from __future__ import annotations

from norch_autograd.types.device import device


def is_available() -> bool:
    """Whether this machine has an accelerator to pick, which for norch is a GPU.

    >>> is_available() in (True, False)
    True
    """
    import norch_cuda

    return bool(norch_cuda.is_available())


def device_count() -> int:
    """How many accelerators this machine has, which for norch are GPUs.

    >>> device_count() >= 0
    True
    """
    import norch_cuda

    return int(norch_cuda.device_count())


def current_accelerator(check_available: bool = False) -> device | None:
    """`device("cuda")` where there is a GPU, otherwise None.

    Source: `torch.accelerator.current_accelerator`; norch decides when it runs, not when it is
    built, so `check_available` changes nothing.

    >>> (current_accelerator() is not None) == is_available()
    True
    """
    return device("cuda") if is_available() else None
