"""The names of `norch.cuda.amp`: mixed precision as scripts wrote it before devices had names.

Each is its namesake of `norch_nn.amp` with "cuda" as the device, and says so in PyTorch's
FutureWarning. Nothing here computes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from norch_autograd import DType, autocast as autocast_of_any_device, float16
from norch_nn.amp import autocast_mode, grad_scaler


def _warn_deprecated(name: str, instead: str) -> None:
    """Warn of an old name at the line of the script."""
    text = f"[{name}] norch.cuda.amp.{name} is deprecated: use norch.amp.{instead}"
    warnings.warn(text, FutureWarning, stacklevel=3)


class autocast(autocast_of_any_device):
    """`norch.amp.autocast("cuda", ...)`: on the CPU nothing changes.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"), autocast():
    ...     (norch.ones(2, 2) @ norch.ones(2, 2)).dtype
    norch.float32
    """

    def __init__(
        self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True
    ) -> None:
        """Take the options of `norch.amp.autocast`, in the older order."""
        _warn_deprecated("autocast", 'autocast("cuda", ...)')
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """`norch.amp.GradScaler("cuda", ...)`: disabled where there is no CUDA.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     GradScaler().is_enabled() == norch.accelerator.is_available()
    True
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn_deprecated("GradScaler", 'GradScaler("cuda", ...)')
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: DType | None = None) -> Any:
    """`norch.amp.custom_fwd(..., device_type="cuda")`."""
    _warn_deprecated("custom_fwd", 'custom_fwd(..., device_type="cuda")')
    return autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """`norch.amp.custom_bwd(..., device_type="cuda")`."""
    _warn_deprecated("custom_bwd", 'custom_bwd(..., device_type="cuda")')
    return autocast_mode.custom_bwd(bwd, device_type="cuda")
