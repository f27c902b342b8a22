"""Re-exported from stage 4, `norch_autograd.backends.mps`."""

from norch_extras.backends.mps import is_available as is_available, is_built as is_built
