"""Mixed precision by one word: "no", "bf16" or "fp16".

The model's forward runs under stage 5's `autocast` and returns float32; "fp16" also needs its
`GradScaler`. Parameters, gradients and optimizer stay in float32.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import DType, Tensor, bfloat16, float16
from norch_autograd.types.trees import tree_map_only
from norch_nn import Module
from norch_nn.amp import GradScaler, autocast

DTYPES: dict[str, DType | None] = {"no": None, "bf16": bfloat16, "fp16": float16}


def check_precision(name: str | None) -> str:
    """Return the word; None means "no"."""
    if name is not None and name not in DTYPES:
        raise ValueError(
            f"[Accelerator] mixed_precision {name!r} is unknown: use one of {', '.join(DTYPES)}"
        )
    return name or "no"


def make_scaler(name: str, device_type: str) -> GradScaler | None:
    """Return the scaler that float16's few exponents call for; others need none."""
    return GradScaler(device_type) if name == "fp16" else None


class Autocasting(Module):
    """Runs `module` in lower precision; what comes out is float32 again.

    >>> from norch_autograd import ones
    >>> from norch_nn import Linear
    >>> model = Autocasting(Linear(2, 1), "cpu", bfloat16)
    >>> model(ones(1, 2)).dtype
    norch.float32
    """

    def __init__(self, module: Module, device_type: str, dtype: DType) -> None:
        super().__init__()
        self.module = module
        self.device_type = device_type
        self.dtype = dtype

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module under autocast."""
        with autocast(self.device_type, self.dtype):
            output = self.module(*args, **kwargs)
        return tree_map_only(Tensor, to_float, output)


def to_float(tensor: Tensor) -> Tensor:
    """Return a half-precision tensor as float32, any other as it is."""
    return tensor.float() if tensor.dtype in (float16, bfloat16) else tensor
