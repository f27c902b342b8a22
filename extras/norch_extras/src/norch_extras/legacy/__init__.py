"""Names that PyTorch keeps for older scripts.

The pages book/library/tensors.md and nn_utils.md name them.
"""

from norch_extras.legacy.init import skip_init as skip_init
