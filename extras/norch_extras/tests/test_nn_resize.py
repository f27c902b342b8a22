"""Pooling and resizing: PyTorch's numbers, shapes, names and refusals.

Numbers written here were computed with PyTorch 2.13.
"""

import math

import numpy as np
import pytest

import norch_autograd as norch
import norch_extras.nn as further
import norch_nn as nn
from norch_extras.nn import (
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
    adaptive_avg_pool1d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool3d,
    interpolate,
    local_response_norm,
    lp_pool2d,
    max_unpool2d,
)

ROW = [1.0, 5.0, 2.0, 8.0, 3.0, 4.0]
VOLUME = norch.arange(12.0).reshape(1, 1, 2, 2, 3)

INTERPOLATED = [
    ({"size": 4}, "nearest", None, [1.0, 5.0, 8.0, 3.0]),
    ({"size": 4}, "nearest-exact", None, [1.0, 2.0, 8.0, 4.0]),
    ({"size": 4}, "area", None, [3.0, 3.5, 5.5, 3.5]),
    ({"size": 4}, "linear", None, [2.0, 2.75, 6.75, 3.75]),
    ({"size": 4}, "linear", True, [1.0, 3.0, 6.333334, 4.0]),
    ({"size": [9]}, "nearest", None, [1.0, 1.0, 5.0, 2.0, 2.0, 8.0, 3.0, 3.0, 4.0]),
    ({"scale_factor": 1.5}, "nearest-exact", None, [1.0, 5.0, 5.0, 2.0, 8.0, 8.0, 3.0, 4.0, 4.0]),
    ({"scale_factor": 1.5}, "linear", True, [1.0, 3.5, 4.25, 2.375, 5.0, 7.375, 4.25, 3.375, 4.0]),
    ({"scale_factor": 0.7}, "nearest", None, [1.0, 5.0, 2.0, 3.0]),
    ({"scale_factor": (0.7,)}, "linear", False, [1.857143, 3.071428, 7.642856, 3.5]),
    ({"scale_factor": 1.1}, "linear", False, ROW),  # as many pixels: none is moved
]


@pytest.mark.parametrize(("size", "mode", "corners", "expected"), INTERPOLATED)
def test_interpolate_is_pytorchs(size, mode, corners, expected):
    row = norch.tensor([[ROW]])
    got = interpolate(row, mode=mode, align_corners=corners, **size)
    assert got[0, 0].tolist() == pytest.approx(expected, abs=1e-5)
    twice = {"linear": "bilinear"}.get(mode, mode)
    both = {k: (1, *v) if isinstance(v, tuple | list) else (1, v) for k, v in size.items()}
    image = interpolate(row.unsqueeze(2), mode=twice, align_corners=corners, **both)
    assert image[0, 0, 0].tolist() == pytest.approx(expected, abs=1e-5)


def test_volumes_are_resized_in_all_three_directions():
    smooth = interpolate(VOLUME, size=(3, 1, 2), mode="trilinear")
    assert smooth.flatten().tolist() == pytest.approx([1.75, 3.25, 4.75, 6.25, 7.75, 9.25])
    near = interpolate(VOLUME, scale_factor=(1.5, 1, 0.7))
    assert near.flatten().tolist() == [0, 1, 3, 4, 0, 1, 3, 4, 6, 7, 9, 10]
    assert adaptive_avg_pool3d(VOLUME, (1, 2, 2)).flatten().tolist() == [3.5, 4.5, 6.5, 7.5]
    assert adaptive_avg_pool3d(VOLUME[0], 1).tolist() == [[[[5.5]]]]


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_maxima_are_put_back_where_they_were(dims):
    x = norch.randn(2, 3, *(4, 6, 8)[:dims])
    pool = (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)[dims - 1](2, return_indices=True)
    unpool = (MaxUnpool1d, MaxUnpool2d, MaxUnpool3d)[dims - 1](2)
    maxima, places = pool(x)
    back = unpool(maxima, places)
    assert back.shape == x.shape
    kept = back != 0
    assert kept.sum().item() == maxima.numel()
    assert norch.equal(back[kept], x[kept])
    again, _ = pool(back.abs() + back)
    assert norch.equal(again, maxima.abs() + maxima)
    leaf = maxima.detach().requires_grad_()
    unpool(leaf, places).sum().backward()
    assert leaf.grad.tolist() == norch.ones_like(leaf).tolist()


POOLS = vars(nn) | vars(nn.functional) | vars(further)


@pytest.mark.parametrize("name", [name for name in POOLS if "max_pool" in name])
def test_maxima_come_with_their_places_where_pytorch_gives_them(name):
    function, dims = POOLS[name], int(name.partition("pool")[2][0])
    x = norch.randn(3, 2, *(4, 6, 8)[:dims]).transpose(0, 1)
    options = (2,) if "adaptive" in name else (2, None, 0, 1, False)
    maxima, places = both = function(x, *options, True)
    assert places.dtype is norch.int64
    assert norch.equal(x.flatten(2).gather(2, places.flatten(2)), maxima.flatten(2))
    words = "".join(map(str.capitalize, name.removesuffix("_with_indices").split("_")))
    layer = POOLS[words]
    with_places = [function(x, 2, return_indices=True), layer(2, return_indices=True)(x)]
    alone = [layer(2)(x), layer(2, return_indices=False)(x)]
    left_out = [function(x, 2), function(x, 2, return_indices=False), function(x, *options, False)]
    (with_places if name.endswith("with_indices") else alone).extend(left_out)
    for found in with_places:
        assert isinstance(found, tuple) and all(map(norch.equal, found, both))
    assert all(norch.equal(found, maxima) for found in alone)


SHOWN = [
    ("AdaptiveMaxPool2d((3, None))", "AdaptiveMaxPool2d(output_size=(3, None))"),
    ("MaxUnpool2d(2)", "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))"),
    ("Upsample(scale_factor=2)", "Upsample(scale_factor=2.0, mode='nearest')"),
    ("Upsample((3, 4), mode='bilinear')", "Upsample(size=(3, 4), mode='bilinear')"),
    ("UpsamplingBilinear2d(4)", "UpsamplingBilinear2d(size=4, mode='bilinear')"),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "shown"), SHOWN)
def test_layers_show_themselves_as_pytorchs_do(layer, shown):
    assert repr(eval(f"further.{layer}")) == shown


X = norch.zeros(1, 2, 4, 4)
BYTES = norch.tensor([[0, 255, 10, 200], [255, 0, 90, 30], [7, 250, 128, 64]]).to(norch.uint8)
BYTES_RESIZED = [  # PyTorch 2.13
    ({"size": (2, 3), "mode": "nearest"}, [[0, 255, 10], [255, 0, 90]]),
    ({"size": (2, 2), "mode": "bicubic"}, [[142, 78], [134, 81]]),
    (
        {"size": (5, 3), "mode": "bilinear"},
        [[42, 133, 168], [110, 98, 117], [213, 45, 40], [113, 131, 61], [47, 189, 75]],
    ),
    ({"size": (2, 2), "mode": "bicubic", "antialias": True}, [[116, 96], [130, 90]]),
]


def test_pooling_by_powers_and_by_depth():
    x = norch.arange(16.0).reshape(1, 4, 4)
    assert lp_pool2d(x, 2, 2)[0, 0, 0].item() == pytest.approx(math.sqrt(0 + 1 + 16 + 25))
    lowest, highest = lp_pool2d(x - 9, -math.inf, 2), lp_pool2d(x - 9, math.inf, 2)
    assert lowest.tolist() == [[[4.0, 2.0], [0.0, 1.0]]]
    assert highest.tolist() == [[[9.0, 7.0], [4.0, 6.0]]]
    volume = norch.arange(60.0).reshape(1, 3, 4, 5)
    values, places = adaptive_max_pool3d(volume, (2, 2, 2), return_indices=True)
    assert values.flatten().tolist() == places.flatten().tolist()  # each number is its own place
    with pytest.raises(RuntimeError, match="needs three numbers"):
        adaptive_max_pool3d(volume, (1, 2))
    with pytest.raises(ValueError, match="3 or more dimensions"):
        local_response_norm(norch.ones(2, 3), 2)


@pytest.mark.parametrize(("how", "wanted"), BYTES_RESIZED)
def test_bytes_are_resized_as_bytes(how, wanted):
    found = interpolate(BYTES.reshape(1, 1, 3, 4), **how)
    assert found.dtype is norch.uint8
    assert (found[0, 0].int() - norch.tensor(wanted)).abs().max() <= 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: interpolate(X), ValueError, "either size or scale_factor"),
        (lambda: interpolate(X, 2, 2.0), ValueError, "either size or scale_factor"),
        (lambda: interpolate(X, (2, 2, 2)), ValueError, "2 sizes, but 3 are given"),
        (lambda: interpolate(X, 2, align_corners=True), ValueError, "align_corners can only"),
        (lambda: interpolate(X, 2, mode="linear"), NotImplementedError, "with 1 sizes, got 4"),
        (lambda: interpolate(X, 2, antialias=True), ValueError, "antialias is for images"),
        (lambda: interpolate(X, 0, mode="bicubic"), RuntimeError, "greater than 0"),
        (lambda: interpolate(X, 2, mode="cubist"), NotImplementedError, "mode 'cubist'"),
        (lambda: interpolate(X, 0), RuntimeError, "cannot make"),
        (lambda: interpolate(X.long(), 2), NotImplementedError, "no norch.int64: cast to float"),
        (lambda: interpolate(BYTES.reshape(1, 3, 4), 2, mode="linear"), NotImplementedError,
         "'linear' of 1 sizes has no norch.uint8"),
        (lambda: interpolate(BYTES.reshape(1, 1, 3, 4), 2, mode="area"), NotImplementedError,
         "'area'"),
        (lambda: interpolate(X, 0, mode="nearest-exact"), RuntimeError, "greater than 0"),
        (lambda: adaptive_avg_pool1d(X, 2), RuntimeError, r"expected \(N, C, L\)"),
        (lambda: adaptive_avg_pool3d(X[0], 2), RuntimeError, r"expected \(N, C, D, H, W\)"),
        (lambda: adaptive_max_pool1d(X[0], (1, 2)), RuntimeError, "needs one number"),
        (lambda: max_unpool2d(X, X.long() + 64, 2), RuntimeError, "outside the output"),
        (lambda: max_unpool2d(X, X.long(), 2, output_size=(4, 4)), ValueError, "within a stride"),
        (lambda: max_unpool2d(X, X[0].long(), 2), RuntimeError, "same shape"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (further.Upsample(scale_factor=2, mode="bilinear"), (1, 2, 3, 4)),
        (further.AdaptiveAvgPool2d((2, 3)), (2, 2, 6, 5)),
    ],
)
def test_layers_on_the_simulator_give_the_cpus_results_and_gradients(layer, shape):
    norch.manual_seed(0)
    values = norch.randn(*shape)
    found = []
    for device in ("cpu", "cuda-sim"):
        x = values.to(device).detach().requires_grad_()
        out = layer(x)
        (out * out * 0.5).sum().backward()
        found.append((out.detach().to("cpu"), x.grad.to("cpu")))
    for expected, actual in zip(*found, strict=True):
        assert norch.allclose(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("wanted", [1, 2, 5, (3, 4), (None, 2), (7, 9), 0])
def test_adaptive_avg_pool2d_is_right_for_every_size(wanted):
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 6)).astype("float32")
    rows, columns = (wanted, wanted) if isinstance(wanted, int) else wanted
    rows = 5 if rows is None else rows

    def window(i, count, size):
        return slice(i * size // count, math.ceil((i + 1) * size / count))

    expected = np.zeros((2, 3, rows, columns))
    for i, j in np.ndindex(rows, columns):
        under = x[:, :, window(i, rows, 5), window(j, columns, 6)]
        expected[:, :, i, j] = under.mean((-2, -1))
    turned = norch.tensor(np.ascontiguousarray(x.T)).permute(3, 2, 1, 0)  # reversed in memory
    got = further.AdaptiveAvgPool2d(wanted)(turned).numpy()
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, atol=1e-6)


def test_adaptive_avg_pool2d_gives_every_place_its_share():
    x = norch.ones(1, 3, 5, requires_grad=True)
    further.AdaptiveAvgPool2d((1, 2))(x).sum().backward()
    np.testing.assert_allclose(x.grad[0, 0].numpy(), [1 / 9, 1 / 9, 2 / 9, 1 / 9, 1 / 9], rtol=1e-6)


def test_adaptive_pooling_shows_itself_as_pytorchs_does():
    shown = "AdaptiveAvgPool2d(output_size=(2, None))"
    assert repr(further.AdaptiveAvgPool2d((2, None))) == shown


@pytest.mark.parametrize("options", [{"mode": "bicubic"}, {"mode": "bilinear", "antialias": True}])
def test_images_that_are_none_are_resized_at_once(options):
    """The weights of 2^30 rows were computed, for images without a channel."""
    x = norch.ones(1, 0, 2, 3, requires_grad=True)
    y = interpolate(x, (2**30, 2**30), **options)
    assert y.shape == (1, 0, 2**30, 2**30)
    y.sum().backward()
    assert x.grad.shape == x.shape
