"""Older names: CharTensor for int8, and those of torch.cuda.amp, which warn."""

import numpy as np
import pytest

import norch_autograd as norch
import norch_cuda
from norch_extras.legacy import CharTensor, amp_cuda as cuda
from norch_nn import amp

VALUES = np.array([[-128, -7, 0], [3, 100, 127]], np.int8)


OTHERS = np.array([[2, -3, 5], [100, 100, -1]], np.int8)


def tensors():
    return norch.tensor(VALUES), norch.tensor(OTHERS)


def test_made_shown_and_cast():
    x, _ = tensors()
    assert x.dtype is norch.int8 and x.tolist() == VALUES.tolist()
    assert repr(norch.tensor([-1], dtype=norch.int8)) == "tensor([-1], dtype=norch.int8)"
    assert x.element_size() == 1 and x.type() == "torch.CharTensor".replace("torch", "norch")
    assert norch.tensor([200.0, -1.5]).char().tolist() == [-56, -1]  # the low bits, as in C
    assert (norch.iinfo(norch.int8).min, norch.iinfo(norch.int8).max) == (-128, 127)
    assert CharTensor([1, -2]).dtype is norch.int8
    with pytest.raises(RuntimeError, match="does not fit int8"):
        norch.full((2,), 128, dtype=norch.int8)


without_cuda = pytest.mark.skipif(norch_cuda.is_available(), reason="a GPU is here")


@without_cuda
def test_the_names_of_cuda_amp():
    """Each warns that it is old, as in PyTorch, and then is the newer name for "cuda"."""
    with pytest.warns(FutureWarning, match=r"use norch.amp.autocast\("):
        block = cuda.autocast(False, norch.bfloat16)
    assert (block.device_type, block.enabled, block.dtype) == ("cuda", False, norch.bfloat16)
    with pytest.warns(FutureWarning, match="GradScaler"):
        scaler = cuda.GradScaler(2.0, enabled=False)
    assert isinstance(scaler, amp.GradScaler) and scaler.get_scale() == 1.0
    with pytest.warns(FutureWarning) as notices:

        class Twice(norch.Function):
            @staticmethod
            @cuda.custom_fwd(cast_inputs=norch.float32)
            def forward(ctx, x):
                return x * 2

            @staticmethod
            @cuda.custom_bwd
            def backward(ctx, grad):
                return grad * 2

    assert [str(notice.message).split("]")[0] for notice in notices] == [
        "[custom_fwd",
        "[custom_bwd",
    ]
    x = norch.ones(2, requires_grad=True)
    Twice.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@without_cuda
def test_cuda_autocast_decorates_and_leaves_the_cpu_alone():
    with pytest.warns(FutureWarning):
        product = cuda.autocast()(lambda x: x @ x)
    assert product(norch.ones(2, 2)).dtype is norch.float32
