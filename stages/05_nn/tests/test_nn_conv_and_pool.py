"""Conv1d, Conv2d and pooling layers against NumPy; what PyTorch shows, draws and refuses."""

import math

import numpy as np
import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def turned(values):
    """A tensor with these values, its dimensions in reverse in memory."""
    return norch.tensor(np.ascontiguousarray(values.T)).permute(*reversed(range(values.ndim)))


def patches(x, weight, stride, padding, dilation):
    """Yield (place of the kernel, what lies under it for all outputs as a slice) and the sizes."""
    sizes = [
        (n + 2 * p - (k - 1) * d - 1) // s + 1
        for n, p, k, d, s in zip(
            x.shape[2:], padding, weight.shape[2:], dilation, stride, strict=True
        )
    ]
    for place in np.ndindex(*weight.shape[2:]):
        yield (
            place,
            tuple(
                slice(k * d, k * d + s * n, s)
                for k, d, s, n in zip(place, dilation, stride, sizes, strict=True)
            ),
            sizes,
        )


def convolution(x, weight, bias, grad, stride, padding, dilation, groups):
    """Return out, d x, d weight, d bias in float64; grad may be a function of out's shape."""
    x, weight = x.astype("float64"), weight.astype("float64")
    (top, left), (height, width) = padding, x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (top, top), (left, left)))
    out, dx, dweight = 0.0, np.zeros_like(padded), np.zeros_like(weight)
    o, c = weight.shape[0] // groups, weight.shape[1]
    for place, under, sizes in patches(x, weight, stride, padding, dilation):
        part = np.zeros((len(x), weight.shape[0], *sizes))
        for g in range(groups):
            ins, outs = slice(g * c, (g + 1) * c), slice(g * o, (g + 1) * o)
            window, at = (slice(None), ins, *under), (outs, slice(None), *place)
            part[:, outs] = np.einsum("ncij,oc->noij", padded[window], weight[at])
            dx[window] += np.einsum("noij,oc->ncij", grad[:, outs], weight[at])
            dweight[at] = np.einsum("noij,ncij->oc", grad[:, outs], padded[window])
        out = out + part
    dx = dx[:, :, top : top + height, left : left + width]
    return out + bias[:, None, None], dx, dweight, grad.sum((0, 2, 3))


def test_conv2d_with_every_option_at_once():
    """Groups, dilation, a rectangular kernel, uneven strides and paddings."""
    weight, bias = drawn(9, 2, 2, 5), drawn(9, seed=1)
    images = drawn(4, 6, 20, 15, seed=2)
    layer = nn.Conv2d(6, 9, (2, 5), stride=(3, 2), padding=(1, 4), dilation=(2, 1), groups=3)
    layer.weight.data, layer.bias.data = norch.tensor(weight), norch.tensor(bias)
    x = norch.tensor(images, requires_grad=True)
    out = layer(x)
    grad = drawn(*out.shape, seed=3)
    out.backward(norch.tensor(grad))

    expected = convolution(images, weight, bias, grad, (3, 2), (1, 4), (2, 1), 3)
    found = (out.detach(), x.grad, layer.weight.grad, layer.bias.grad)
    for got, want in zip(found, expected, strict=True):
        assert np.allclose(got.numpy(), want, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("mode", "numpys"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")]
)
def test_padding_modes_are_numpys(mode, numpys):
    layer = nn.Conv2d(2, 3, (3, 2), padding=(1, 2), padding_mode=mode)
    plain = nn.Conv2d(2, 3, (3, 2))
    plain.load_state_dict(layer.state_dict())
    x = drawn(2, 2, 4, 5)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2)), mode=numpys)
    assert norch.allclose(layer(turned(x)), plain(turned(padded)), atol=1e-6)


def test_conv1d_is_numpys_correlate():
    x, weight = drawn(1, 1, 9), drawn(1, 1, 4, seed=1)
    expected = np.correlate(x[0, 0], weight[0, 0], "valid")
    np.testing.assert_allclose(
        F.conv1d(turned(x), turned(weight))[0, 0].numpy(), expected, rtol=1e-5
    )
    same = F.conv1d(turned(x), turned(weight), padding="same")[0, 0].numpy()
    np.testing.assert_allclose(
        same, np.correlate(np.pad(x[0, 0], (1, 2)), weight[0, 0], "valid"), rtol=1e-5
    )
    assert nn.Conv1d(3, 6, 3, stride=2, padding=1, groups=3)(norch.zeros(3, 9)).shape == (6, 5)


def test_max_pool_padding_never_wins():
    assert nn.MaxPool2d(3, stride=2, padding=1)(-norch.ones(1, 4, 4)).tolist() == [[[-1, -1]] * 2]


def test_pooling_options():
    x = norch.arange(25.0).reshape(1, 5, 5)
    values, places = nn.MaxPool2d(2, return_indices=True)(x)
    assert (values.tolist(), places.tolist()) == ([[[6, 8], [16, 18]]], [[[6, 8], [16, 18]]])
    assert nn.MaxPool2d(2, ceil_mode=True)(x)[0, 2].tolist() == [21, 23, 24]
    assert nn.AvgPool2d(2, ceil_mode=True)(x)[0, 2].tolist() == [20.5, 22.5, 24]
    assert nn.AvgPool2d(3, 2, 1)(x)[0, 0].tolist() == pytest.approx([12 / 9, 27 / 9, 24 / 9])
    uncounted = nn.AvgPool2d(3, 2, 1, count_include_pad=False)(x)[0, 0].tolist()
    assert uncounted == pytest.approx([3.0, 4.5, 6.0])
    assert F.avg_pool2d(x, 2, divisor_override=1)[0, 0].tolist() == [12.0, 20.0]


def test_layer_norm_is_one_fused_node():
    x = norch.randn(4, 6, requires_grad=True)
    assert nn.LayerNorm(6)(x).grad_fn.name() == "NativeLayerNormBackward0"


@pytest.mark.parametrize(
    ("layer", "shown"),
    [
        (nn.Conv2d(1, 32, 3), "Conv2d(1, 32, kernel_size=(3, 3), stride=(1, 1))"),
        (
            nn.Conv2d(4, 6, (3, 2), 2, 1, (1, 2), 2, False, "circular"),
            "Conv2d(4, 6, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), dilation=(1, 2), "
            "groups=2, bias=False, padding_mode=circular)",
        ),
        (
            nn.Conv1d(1, 2, 3, padding="same"),
            "Conv1d(1, 2, kernel_size=(3,), stride=(1,), padding=same)",
        ),
        (
            nn.MaxPool2d(2),
            "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
        ),
        (
            nn.AvgPool2d((3, 2), 1, (1, 0)),
            "AvgPool2d(kernel_size=(3, 2), stride=1, padding=(1, 0))",
        ),
    ],
)
def test_layers_print_as_pytorchs(layer, shown):
    assert repr(layer) == shown


def test_parameters_have_pytorchs_names_shapes_and_bounds():
    norch.manual_seed(0)
    layer = nn.Conv2d(8, 32, (3, 5), groups=4)
    assert {k: tuple(v.shape) for k, v in layer.state_dict().items()} == {
        "weight": (32, 2, 3, 5),
        "bias": (32,),
    }
    bound = 1 / math.sqrt(2 * 3 * 5)
    for parameter in layer.parameters():
        largest = parameter.abs().max().item()
        assert 0.8 * bound < largest <= bound
        assert abs(parameter.mean().item()) < 0.3 * bound
    assert list(nn.Conv2d(1, 1, 1, bias=False).state_dict()) == ["weight"]


X = norch.zeros(1, 4, 5, 5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.Conv2d(4, 6, 3, groups=4), ValueError, "must be multiples of groups 4"),
        (lambda: nn.Conv2d(4, 6, 3, groups=0), ValueError, "groups 0, which must be above 0"),
        (lambda: nn.Conv2d(4, 6, 3, padding="some"), ValueError, "padding 'some'"),
        (lambda: nn.Conv2d(4, 6, 3, 2, "same"), ValueError, "needs stride 1"),
        (lambda: nn.Conv2d(4, 6, 3, padding_mode="mirror"), ValueError, "padding_mode 'mirror'"),
        (lambda: nn.Conv2d(4, 6, (3, 3, 3)), ValueError, "kernel_size must be one number or 2"),
        (lambda: nn.Conv2d(3, 6, 3)(X), RuntimeError, r"\[conv2d\] x .* has 4 channels"),
        (lambda: nn.Conv2d(4, 6, 6)(X), RuntimeError, "reaches over 6 does not fit"),
        (
            lambda: nn.Conv2d(4, 6, 3, padding=5, padding_mode="reflect")(X),
            RuntimeError,
            "cannot be mirrored at the border of 5",
        ),
        (lambda: F.conv1d(X, norch.zeros(1, 4, 3)), RuntimeError, r"\[conv1d\] expected input"),
        (lambda: F.conv1d(X[0], norch.zeros(4, 3, 5)), RuntimeError, "has 5 channels"),
        (lambda: F.conv1d(X[0], X[0], stride=(1, 1)), RuntimeError, "stride as one integer"),
        (lambda: nn.MaxPool2d(2, padding=2)(X), RuntimeError, "more than half of kernel 2"),
        (lambda: nn.MaxPool2d(2)(norch.zeros(5, 5)), RuntimeError, r"\(N, C, H, W\) or"),
        (lambda: F.adaptive_avg_pool2d(X, (1, 2, 3)), RuntimeError, "needs two numbers"),
        (lambda: F.adaptive_avg_pool2d(X, -1), RuntimeError, "cannot make"),
        (lambda: F.adaptive_avg_pool2d(X[0, 0], 1), RuntimeError, r"expected \(N, C, H, W\)"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
