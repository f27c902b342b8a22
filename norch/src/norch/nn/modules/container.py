"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_extras.nn import ParameterDict as ParameterDict, ParameterList as ParameterList
from norch_nn import ModuleDict as ModuleDict, ModuleList as ModuleList, Sequential as Sequential
