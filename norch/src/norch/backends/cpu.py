"""Re-exported from stage 4, `norch_autograd.backends.cpu`."""

from norch_extras.backends.cpu import get_cpu_capability as get_cpu_capability
