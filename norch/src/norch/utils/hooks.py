"""What registering a hook returns: re-exported from stage 5, `norch_nn`."""

from norch_nn.core.hooks import RemovableHandle as RemovableHandle
