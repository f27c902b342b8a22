"""Unfold and Fold: PyTorch's numbers, names and refusals."""

import pytest

import norch_autograd as norch
import norch_extras.nn
from norch_extras.nn import Fold, Unfold
from norch_nn import functional as F


def test_fold_adds_what_unfold_took_apart():
    x = norch.randn(2, 3, 6, 7)
    options = {"kernel_size": (3, 2), "dilation": 1, "padding": (1, 0), "stride": (2, 1)}
    columns = Unfold(**options)(x)
    assert columns.shape == (2, 18, 18)
    counts = Fold((6, 7), **options)(Unfold(**options)(norch.ones(2, 3, 6, 7)))
    assert norch.allclose(Fold((6, 7), **options)(columns), x * counts, atol=1e-6)
    kernel = norch.randn(4, 3, 3, 2)
    out = (kernel.reshape(4, 18) @ columns).reshape(2, 4, 3, 6)
    assert norch.allclose(out, F.conv2d(x, kernel, None, (2, 1), (1, 0)), atol=1e-5)


X = norch.zeros(1, 2, 4, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: norch_extras.nn.fold(X[0], (4, 4), 3), RuntimeError, "KH KW = 9"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_unfold_on_the_simulator_gives_the_results_and_gradients_of_the_cpu():
    values = norch.arange(32.0).reshape(1, 2, 4, 4).transpose(2, 3)
    found = []
    for device in ("cpu", "cuda-sim"):
        x = values.detach().to(device).requires_grad_()
        columns = Unfold(2)(x)
        columns.square().sum().backward()
        found.append((columns.tolist(), x.grad.tolist()))
    assert found[0] == found[1]


def test_layers_show_themselves_as_pytorchs_do():
    assert repr(Unfold(2)) == "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"
    shown = "Fold(output_size=(3, 4), kernel_size=2, dilation=1, padding=0, stride=1)"
    assert repr(Fold((3, 4), 2)) == shown
