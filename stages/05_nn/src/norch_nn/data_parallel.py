"""DataParallel: the wrapper under which older scripts put a model on all GPUs of one process.

Here a process drives one device, so the model is called as it is; several devices are
DistributedDataParallel's, with a process for each.
"""

from __future__ import annotations

from typing import Any

from norch_nn.module import Module


class DataParallel(Module):
    """Call `module`; its parameters are saved under "module.", as older checkpoints have them.

    >>> list(DataParallel(nn.Linear(2, 1)).state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        """Take the model; more than one device is refused."""
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise RuntimeError(
                f"[DataParallel] one process drives one device, not {list(device_ids)}: use "
                "norch.nn.parallel.DistributedDataParallel, started by norch.distributed.run"
            )
        self.module = module
        self.device_ids = list(device_ids or [])
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the model."""
        return self.module(*inputs, **kwargs)
