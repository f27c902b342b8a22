"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_extras.nn import Bilinear as Bilinear
from norch_nn import Identity as Identity, Linear as Linear
