"""asarray, logspace, scalar_tensor."""

import numpy as np
import pytest

import norch_autograd as norch
from norch_extras.creation import asarray, logspace, scalar_tensor


def test_asarray_shares_where_it_can():
    x = norch.ones(3, requires_grad=True)
    assert asarray(x) is x
    numbers = np.ones(2)
    assert asarray(numbers, copy=False).data_ptr() == numbers.ctypes.data
    assert asarray(numbers, copy=True).data_ptr() != numbers.ctypes.data
    with pytest.raises(ValueError, match="a copy is needed"):
        asarray(numbers, dtype=norch.float32, copy=False)
    assert not asarray(x, requires_grad=False).requires_grad


def test_logspace():
    assert logspace(0.9, 3.9, 4, 3, dtype=norch.int64).tolist() == [1, 3, 9, 27]
    assert logspace(0, 1, 3, pin_memory=True).is_pinned()
    with pytest.raises(TypeError, match=r"\[logspace\] steps must be a whole number"):
        logspace(0, 1, 2.5)
    with pytest.raises(TypeError, match=r"\[logspace\] start and end are numbers"):
        logspace("a", 0, 2)


def test_scalar_tensor():
    assert scalar_tensor(3).dtype == norch.float32
    assert scalar_tensor(3, dtype=norch.int64).item() == 3
