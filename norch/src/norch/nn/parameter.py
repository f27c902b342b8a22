"""Tensors that modules keep: re-exported from stage 5, `norch_nn`."""

from norch_extras.lazy.mixin import (
    UninitializedParameter as UninitializedParameter,
    is_lazy as is_lazy,
)
from norch_nn.core.parameter import Buffer as Buffer, Parameter as Parameter
