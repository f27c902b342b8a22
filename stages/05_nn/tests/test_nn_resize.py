"""Layers that make images larger or smaller: PyTorch's numbers, shapes, names and refusals.

Numbers written here were computed with PyTorch 2.13.
"""

import math

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F


def test_transposed_convolution_is_pytorchs():
    image, kernel = norch.arange(6.0).reshape(1, 1, 2, 3), norch.arange(8.0).reshape(1, 2, 2, 2) - 3
    got = F.conv_transpose2d(image, kernel, norch.tensor([0.5, -1.0]), (2, 1), (1, 0), (1, 0))
    assert got[0, 0].tolist() == [
        [0.5, -0.5, -1.5, 0.5], [-8.5, -17.5, -22.5, -9.5], [-2.5, -3.5, -4.5, 0.5]
    ]  # fmt: skip
    assert got[0, 1].tolist() == [[-1, 2, 9, 7], [2, 9, 12, 9], [8, 23, 30, 19]]


def layer_and_input(dims):
    sizes = (3, 4, 5)[:dims]
    kinds = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
    return kinds[dims - 1](4, 6, 3, stride=2, padding=1, groups=2), norch.randn(2, 4, *sizes)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_transposed_layers_undo_the_shape_of_a_convolution(dims):
    layer, x = layer_and_input(dims)
    assert [(k, tuple(v.shape)) for k, v in layer.state_dict().items()] == [
        ("weight", (4, 3, *[3] * dims)), ("bias", (6,))
    ]  # fmt: skip
    bound = 1 / math.sqrt(3 * 3**dims)  # of weight.size(1) times the places of the kernel
    assert bound / 2 < layer.weight.abs().max().item() <= bound
    down = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1](6, 4, 3, stride=2, padding=1)
    least = [2 * n - 1 for n in x.shape[2:]]
    assert list(layer(x).shape[2:]) == least
    for size in (least, [n + 1 for n in least], [2, 6, *(n + 1 for n in least)]):
        y = layer(x, output_size=size)
        assert list(y.shape[2:]) == list(size)[-dims:]
        assert down(y).shape == x.shape
    with pytest.raises(ValueError, match="must lie between"):
        layer(x, output_size=[n + 2 for n in least])
    with pytest.raises(ValueError, match="output_size needs"):
        layer(x, output_size=[3] * 7)


def test_convolution_of_a_volume_trains():
    layer = nn.Conv3d(2, 3, (1, 2, 3), padding=(0, 1, 1), padding_mode="replicate")
    assert [tuple(p.shape) for p in layer.parameters()] == [(3, 2, 1, 2, 3), (3,)]
    out = layer(norch.randn(2, 2, 2, 3, 4))
    assert out.shape == (2, 3, 2, 4, 4)
    out.square().sum().backward()
    assert all(p.grad.abs().sum().item() > 0 for p in layer.parameters())


def test_a_function_says_the_name_by_which_it_is_called():
    functions = {name: f for name, f in vars(F).items() if callable(f) and name[0] != "_"}
    assert {"conv2d", "max_pool2d"} <= set(functions)
    assert [name for name, function in functions.items() if function.__name__ != name] == []


SHOWN = [
    ("Conv3d(2, 4, (1, 2, 3), 2, 1, groups=2, bias=False)",
     "Conv3d(2, 4, kernel_size=(1, 2, 3), stride=(2, 2, 2), padding=(1, 1, 1), groups=2, "
     "bias=False)"),
    ("ConvTranspose2d(2, 4, (3, 2), 2, 1, 1, 2, False, 3)",
     "ConvTranspose2d(2, 4, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), dilation=(3, 3), "
     "output_padding=(1, 1), groups=2, bias=False)"),
    ("MaxPool1d(2)",
     "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    ("AvgPool1d(2)", "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
    ("AvgPool3d(2)", "AvgPool3d(kernel_size=2, stride=2, padding=0)"),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "shown"), SHOWN)
def test_layers_show_themselves_as_pytorchs_do(layer, shown):
    assert repr(eval(f"nn.{layer}")) == shown


X = norch.zeros(1, 2, 4, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.conv_transpose2d(X, norch.zeros(2, 2, 1, 1), output_padding=1), RuntimeError,
         "output padding must be smaller"),
        (lambda: F.conv_transpose2d(X, norch.zeros(3, 2, 2, 2)), RuntimeError, "has 2 channels"),
        (lambda: F.conv_transpose1d(X, X), RuntimeError, "2 or 3 dimensions"),
        (lambda: nn.ConvTranspose2d(2, 2, 2, padding_mode="reflect"), ValueError, "padding_mode"),
        (lambda: nn.Conv3d(2, 2, (1, 2)), ValueError, "must be one number or 3"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
