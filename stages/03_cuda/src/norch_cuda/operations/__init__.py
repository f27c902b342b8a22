"""Every operation of stage 2 under the same name, for arrays on a CUDA device or its simulator.

`Operations(backend)` is the last of a chain of classes, one for each family; `array.ops` is one.
"""

from norch_cuda.operations.attention import Attention


class Operations(Attention):
    """All operations of one device; see the families for each."""
