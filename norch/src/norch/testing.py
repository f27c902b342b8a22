"""Comparing tensors in tests: re-exported from stage 4, `norch_autograd.testing`."""

from norch_extras.testing import assert_close as assert_close
