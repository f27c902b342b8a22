"""What surrounds training: `norch.utils.data` and `norch.utils.checkpoint`."""

from norch.utils import checkpoint as checkpoint, data as data
