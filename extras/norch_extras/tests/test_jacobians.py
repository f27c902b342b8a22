"""Jacobians and Hessians of functions of tensors."""

import norch_autograd as norch
import norch_extras.autograd_tools.functional


def test_jacobian_and_hessian():
    x = norch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=norch.float64)
    matrix = norch_extras.autograd_tools.functional.jacobian(lambda x: x.sum(0) * x[0], x)
    assert matrix.shape == (2, 2, 2)
    assert matrix.tolist() == [[[5, 0], [1, 0]], [[0, 8], [0, 2]]]
    second = norch_extras.autograd_tools.functional.hessian(lambda x: x.prod(), x)
    assert second[0, 0, 1, 1].item() == 6
    assert second[0, 0, 0, 0].item() == 0
