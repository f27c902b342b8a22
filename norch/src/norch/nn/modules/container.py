"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    ModuleDict as ModuleDict,
    ModuleList as ModuleList,
    ParameterDict as ParameterDict,
    ParameterList as ParameterList,
    Sequential as Sequential,
)
