"""One number or several: re-exported from stage 5, `norch_nn.core.sizes`."""

from norch_nn.core.sizes import (
    _ntuple as _ntuple,
    _pair as _pair,
    _quadruple as _quadruple,
    _single as _single,
    _triple as _triple,
)
