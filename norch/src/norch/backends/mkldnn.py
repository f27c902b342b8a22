"""Re-exported from stage 4, `norch_autograd.backends.mkldnn`."""

from norch_extras.backends.mkldnn import is_available as is_available
