"""`torch.utils.checkpoint` by name: re-exported from stage 4, `norch_autograd`."""

from norch_autograd.autograd.checkpoint import (
    checkpoint as checkpoint,
    checkpoint_sequential as checkpoint_sequential,
)
