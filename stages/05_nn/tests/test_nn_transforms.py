"""Transforms: images in, tensors out."""

import pytest

import norch_autograd as norch
from norch_nn.vision import transforms as T


def image(*shape):
    """0, 1, 2, ... as bytes, laid out column by column in memory."""
    count = 1
    for size in shape:
        count *= size
    return (
        (norch.arange(count) % 256)
        .to(norch.uint8)
        .reshape(*shape[::-1])
        .permute(*range(len(shape) - 1, -1, -1))
    )


def test_to_tensor_scales_and_puts_channels_first():
    grey, colour = T.ToTensor()(image(4, 5)), T.ToTensor()(image(4, 5, 3))
    assert tuple(grey.shape) == (1, 4, 5) and tuple(colour.shape) == (3, 4, 5)
    assert grey.dtype == norch.float32
    assert grey[0, 1, 2].item() == pytest.approx(image(4, 5)[1, 2].item() / 255)
    assert colour[2, 1, 4].item() == pytest.approx(image(4, 5, 3)[1, 4, 2].item() / 255)


def test_to_tensor_keeps_the_values_of_other_dtypes():
    floats = T.ToTensor()(norch.full((2, 2), 7.0))
    assert floats.tolist() == [[[7.0, 7.0], [7.0, 7.0]]]
    label = T.ToTensor()(7)
    assert label.dtype == norch.int64 and tuple(label.shape) == () and label.item() == 7


def test_to_tensor_takes_numpy():
    np = pytest.importorskip("numpy")
    assert T.ToTensor()(np.full((2, 3), 255, dtype=np.uint8)).tolist() == [[[1.0] * 3] * 2]


def test_normalize_each_channel():
    image = norch.ones(2, 1, 1)
    assert T.Normalize([0.0, 0.5], [2.0, 0.25])(image).flatten().tolist() == [0.5, 2.0]
    assert image.flatten().tolist() == [1.0, 1.0]
    assert T.Normalize([0.0, 0.5], [2.0, 0.25], inplace=True)(image) is image
    assert image.flatten().tolist() == [0.5, 2.0]


def test_compose_reshape_lambda_and_their_reprs():
    chain = T.Compose([T.ToTensor(), T.Normalize([0], [1]), T.Reshape([-1, 4]), T.Lambda(len)])
    assert chain(image(2, 4)) == 2
    assert repr(chain) == (
        "Compose(\n    ToTensor()\n    Normalize(mean=[0], std=[1])\n"
        "    Reshape([-1, 4])\n    Lambda()\n)"
    )


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: T.ToTensor()(norch.zeros(3)), ValueError, r"not shape \(3,\)"),
        (lambda: T.Normalize([0], [0]), ValueError, "std must not contain 0"),
        (lambda: T.Normalize([0], [1])(image(2, 2)), TypeError, "ToTensor first"),
        (lambda: T.Normalize([0], [1])(norch.zeros(2, 2)), ValueError, r"\(2, 2\)"),
        (lambda: T.Lambda(3), TypeError, "a function is expected, not int"),
        (lambda: T.Reshape([5])(norch.zeros(4)), RuntimeError, "5"),
    ],
)
def test_bad_images(action, error, message):
    with pytest.raises(error, match=message):
        action()
