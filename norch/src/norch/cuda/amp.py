"""PyTorch's older place of mixed precision: re-exported from stage 5, `norch_nn.amp`."""

from norch_nn.amp import GradScaler as GradScaler
