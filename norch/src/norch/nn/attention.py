"""Which kernel computes attention: re-exported from stage 4, `norch_autograd.backends`."""

from norch_extras.backends.cuda import SDPBackend as SDPBackend, sdpa_kernel as sdpa_kernel
