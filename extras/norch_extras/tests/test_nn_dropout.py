"""Dropout of whole channels, and alpha dropout."""

import math

import pytest

import norch_autograd as norch
from norch_extras.nn import (
    AlphaDropout,
    Dropout1d,
    Dropout2d,
    FeatureAlphaDropout,
    alpha_dropout,
    dropout1d,
    dropout2d,
    dropout3d,
)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (Dropout1d(0.25), (40, 30, 5)),
        (Dropout1d(0.25), (1000, 5)),
        (Dropout2d(0.25), (40, 30, 5, 2)),
    ],
)
def test_channels_are_dropped_whole(layer, shape):
    norch.manual_seed(0)
    y = layer(norch.ones(*shape)).reshape(-1, shape[-1])
    assert norch.equal(y.amin(1), y.amax(1))
    assert y.mean().item() == pytest.approx(1, abs=0.05)
    assert layer.eval()(norch.ones(*shape)).sum().item() == math.prod(shape)


def test_dropout2d_of_three_dimensions_warns():
    with pytest.warns(UserWarning, match="counts as"):
        assert dropout2d(norch.ones(2, 3, 4), 1.0).sum().item() == 0


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: dropout1d(norch.ones(2)), RuntimeError, "2 or 3 dimensions are expected"),
        (
            lambda: dropout2d(norch.ones(2), 0.5),
            RuntimeError,
            r"channels \(N, C, ...\) are expected",
        ),
        (lambda: Dropout2d(2), ValueError, "between 0 and 1, not 2"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_dropout2d_of_rows_drops_elements():
    """PyTorch's older MNIST example has Dropout2d behind a Linear."""
    norch.manual_seed(0)
    with pytest.warns(UserWarning, match="use dropout for"):
        y = dropout2d(norch.ones(50, 40), 0.5)
    assert set(y.flatten().tolist()) == {0.0, 2.0} and 0.4 < (y == 0).float().mean().item() < 0.6


def test_alpha_dropout_keeps_mean_and_variance():
    x = norch.randn(200, 200)
    y = AlphaDropout(0.3)(x)
    assert abs(y.mean().item()) < 0.02 and abs(y.var().item() - 1) < 0.03
    assert FeatureAlphaDropout(0.5)(norch.ones(3, 4, 5)).std(-1).amax().item() < 1e-6
    assert dropout3d(norch.ones(2, 3, 2, 2, 2), 0.5).flatten(2).std(-1).amax().item() == 0


@pytest.mark.parametrize("dtype", [norch.bool, norch.int64, norch.float16])
@pytest.mark.parametrize("inplace", [False, True])
def test_dropping_everything_keeps_the_dtype(dtype, inplace):
    dropped = alpha_dropout(norch.ones(2, dtype=dtype), 1.0, True, inplace)
    assert dropped.dtype is dtype and dropped.tolist() == [0, 0]
