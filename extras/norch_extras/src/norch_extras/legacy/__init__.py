"""Names that PyTorch keeps for older scripts.

The page book/library/tensors.md names most of them, book/library/autograd.md torch.cuda.amp's and
torch.jit's.
"""

from norch_extras.legacy.tensors import (
    BoolTensor as BoolTensor,
    ByteTensor as ByteTensor,
    CharTensor as CharTensor,
    DoubleTensor as DoubleTensor,
    FloatTensor as FloatTensor,
    HalfTensor as HalfTensor,
    IntTensor as IntTensor,
    LongTensor as LongTensor,
    ShortTensor as ShortTensor,
    is_complex as is_complex,
    is_floating_point as is_floating_point,
    is_nonzero as is_nonzero,
    is_same_size as is_same_size,
    is_tensor as is_tensor,
    numel as numel,
    set_default_tensor_type as set_default_tensor_type,
)
