"""One number or several: re-exported from stage 5, `norch_nn.tuples`."""

from norch_nn.tuples import (
    _ntuple as _ntuple,
    _pair as _pair,
    _quadruple as _quadruple,
    _single as _single,
    _triple as _triple,
)
