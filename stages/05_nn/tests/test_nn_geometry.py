"""Transforms that move pixels: places, margins, mirrors and sizes."""

import pytest

import norch_autograd as norch
from norch_nn.vision import transforms as T

ROW = [1.0, 5.0, 2.0, 8.0, 3.0, 4.0]


def grid(height, width, channels=None):
    """Pixel (i, j) is 10 i + j as a byte; channels add 100."""
    values = norch.arange(height).unsqueeze(1) * 10 + norch.arange(width)
    if channels is not None:
        values = norch.stack([values + 100 * c for c in range(channels)], -1)
    return values.to(norch.uint8)


def test_center_crop_of_every_kind_of_image():
    assert T.CenterCrop(2)(grid(4, 6)).tolist() == [[12, 13], [22, 23]]
    assert T.CenterCrop((2, 4))(grid(4, 6, 2))[:, :, 1].tolist() == [
        [111, 112, 113, 114],
        [121, 122, 123, 124],
    ]
    floats = T.ToTensor()(grid(4, 6, 2))
    assert T.CenterCrop((2, 4))(floats).shape == (2, 2, 4)
    assert T.CenterCrop([2])(floats.unsqueeze(0)).shape == (1, 2, 2, 2)
    # Odd margins as torchvision rounds them: half to even above, the rest of a pad below.
    assert T.CenterCrop(2)(grid(5, 5)).tolist() == [[22, 23], [32, 33]]
    assert T.CenterCrop(3)(grid(2, 2)).tolist() == [[0, 1, 0], [10, 11, 0], [0, 0, 0]]


def test_random_crop_takes_every_place_and_no_other():
    norch.manual_seed(0)
    corners = {T.RandomCrop(2)(grid(3, 4))[0, 0].item() for _ in range(100)}
    assert corners == {0, 1, 2, 10, 11, 12}
    assert T.RandomCrop((3, 4))(grid(3, 4)).tolist() == grid(3, 4).tolist()
    norch.manual_seed(1)
    first = T.RandomCrop(5)(grid(9, 9)).tolist()
    norch.manual_seed(1)
    assert T.RandomCrop(5)(grid(9, 9)).tolist() == first


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"padding": (2, 0)}, [0, 0, 0, 1, 2, 0, 0]),
        ({"padding": (1, 0, 3, 0), "fill": 7}, [7, 0, 1, 2, 7, 7, 7]),
        ({"padding": (2, 0), "padding_mode": "edge"}, [0, 0, 0, 1, 2, 2, 2]),
        ({"padding": (2, 0), "padding_mode": "reflect"}, [2, 1, 0, 1, 2, 1, 0]),
        ({"padding": (2, 0), "padding_mode": "symmetric"}, [1, 0, 0, 1, 2, 2, 1]),
        ({"padding": (2, 0), "pad_if_needed": True}, [0, 0, 0, 1, 2, 0, 0]),
    ],
)
def test_padding(options, expected):
    assert T.RandomCrop((1, 7), **options)(grid(1, 3)).tolist() == [expected]


def test_padding_of_floats_and_of_colours():
    assert T.RandomCrop(32, padding=4)(norch.ones(3, 32, 32)).shape == (3, 32, 32)
    padded = T.RandomCrop((3, 3), padding=1)(grid(1, 1, 3) + 1)
    assert padded.dtype == norch.uint8 and padded.sum().item() == 1 + 101 + 201
    assert T.RandomCrop(5, pad_if_needed=True)(grid(2, 3)).shape == (5, 5)


def test_flip_mirrors_columns_with_its_probability():
    assert T.RandomHorizontalFlip(1.0)(grid(2, 3)).tolist() == [[2, 1, 0], [12, 11, 10]]
    assert T.RandomHorizontalFlip(1.0)(grid(2, 3, 2))[0, :, 1].tolist() == [102, 101, 100]
    floats = T.ToTensor()(grid(2, 3, 2))
    assert norch.equal(T.RandomHorizontalFlip(1.0)(floats), floats.flip([2]))
    assert T.RandomHorizontalFlip(0.0)(grid(2, 3)).tolist() == grid(2, 3).tolist()
    norch.manual_seed(0)
    flipped = sum(T.RandomHorizontalFlip()(grid(1, 2))[0, 0].item() for _ in range(400))
    assert 160 < flipped < 240


@pytest.mark.parametrize(
    ("width", "options", "expected"),
    [
        (3, {"antialias": False}, [3.0, 5.0, 3.5]),
        (3, {}, [2.8571429, 4.75, 4.1428571]),
        (4, {"antialias": False}, [2.0, 2.75, 6.75, 3.75]),
        (4, {}, [2.5, 3.6666667, 5.6666667, 3.625]),
        (9, {}, [1.0, 3.0, 4.5, 2.5, 5.0, 7.1666665, 3.8333333, 3.5, 4.0]),
        (3, {"interpolation": "nearest"}, [1.0, 2.0, 3.0]),
        (4, {"interpolation": "nearest"}, [1.0, 5.0, 8.0, 3.0]),
        (9, {"interpolation": "nearest"}, [1.0, 1.0, 5.0, 2.0, 2.0, 8.0, 3.0, 3.0, 4.0]),
    ],
)
def test_resize_is_pytorchs_interpolate(width, options, expected):
    """Computed with torch.nn.functional.interpolate of PyTorch 2.13."""
    image = norch.tensor([[ROW]])
    assert T.Resize((1, width), **options)(image)[0, 0].tolist() == pytest.approx(expected)
    turned = image.transpose(1, 2)
    assert T.Resize((width, 1), **options)(turned)[0, :, 0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("size", "shape", "expected"),
    [
        (4, (8, 6), (5, 4)),
        (4, (6, 8), (4, 5)),
        ([4], (6, 8), (4, 5)),
        ((4, 4), (6, 8), (4, 4)),
        (8, (8, 8), (8, 8)),
    ],
)
def test_resize_to_the_shorter_side(size, shape, expected):
    assert T.Resize(size)(grid(*shape)).shape == expected
    assert T.Resize(size)(grid(*shape, 3)).shape == (*expected, 3)
    assert T.Resize(size, "nearest")(norch.zeros(2, 3, *shape)).shape == (2, 3, *expected)


def test_resize_of_bytes_rounds():
    small = T.Resize((1, 3))(norch.tensor([ROW]).to(norch.uint8))
    assert small.dtype == norch.uint8 and small.tolist() == [[3, 5, 4]]


def test_in_a_chain():
    chain = T.Compose(
        [T.Resize(36), T.RandomCrop(32), T.RandomHorizontalFlip(), T.ToTensor(), T.CenterCrop(28)]
    )
    assert chain(grid(20, 25, 3)).shape == (3, 28, 28)
    assert "RandomCrop(size=(32, 32), padding=None)" in repr(chain)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: T.CenterCrop(0), r"\[CenterCrop\] a size, .* above 0 is expected, not 0"),
        (lambda: T.Resize((1, 2, 3)), r"not \(1, 2, 3\)"),
        (lambda: T.Resize(4, "cubic"), "must be 'bilinear' or 'nearest', not 'cubic'"),
        (lambda: T.RandomHorizontalFlip(2), "p must lie between 0 and 1, not 2"),
        (lambda: T.RandomCrop(2, padding_mode="wrap"), "not 'wrap'"),
        (lambda: T.RandomCrop(2, padding=(1, 2, 3)), r"1, 2 or 4 numbers.* not \(1, 2, 3\)"),
        (lambda: T.RandomCrop(2, padding=-1), "0 or more, is expected, not -1"),
        (lambda: T.RandomCrop(4)(grid(3, 9)), r"\(4, 4\) does not fit into \(3, 9\): pad"),
        (lambda: T.Resize(2)(norch.zeros(3)), r"an image is expected, not shape \(3,\)"),
    ],
)
def test_bad_arguments(action, message):
    with pytest.raises(ValueError, match=message):
        action()
