"""Re-exported from stage 4, `norch_autograd.backends.cuda`."""

from norch_extras.backends.cuda import is_built as is_built, matmul as matmul
