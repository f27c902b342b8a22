"""Transforms that move pixels: places, margins, mirrors, turns and sizes.

Tensors are compared with small results by hand, PIL images with the same of a tensor, or with
Pillow's own methods.
"""

import pytest

import norch_autograd as norch
from norch_extras.nn import ReplicationPad2d
from norchvision import transforms as T
from norchvision.transforms import functional as F

Image = pytest.importorskip("PIL.Image", reason="images need Pillow")
ROW = [1.0, 5.0, 2.0, 8.0, 3.0, 4.0]


def grid(height, width, channels=1):
    """Pixel (i, j) is 10 i + j as a byte; channels add 100. Not contiguous."""
    values = norch.arange(width).unsqueeze(1) + norch.arange(height) * 10
    return norch.stack([values + 100 * c for c in range(channels)]).to(norch.uint8).mT


def both(transform, image):
    """Transform a tensor (C, H, W) of bytes, and see a PIL image of it come to the same."""
    made = transform(image)
    assert norch.equal(F.pil_to_tensor(transform(F.to_pil_image(image))), made)
    return made


def test_center_crop_of_every_kind_of_image():
    assert both(T.CenterCrop(2), grid(4, 6)).tolist() == [[[12, 13], [22, 23]]]
    assert both(T.CenterCrop((2, 4)), grid(4, 6, 3))[1].tolist() == [
        [111, 112, 113, 114],
        [121, 122, 123, 124],
    ]
    assert T.CenterCrop([2])(norch.zeros(5, 3, 4, 6)).shape == (5, 3, 2, 2)
    assert T.CenterCrop(2)(norch.zeros(4, 6)).shape == (2, 2)
    # Odd margins as torchvision rounds them: half to even above, the rest of a pad below.
    assert both(T.CenterCrop(2), grid(5, 5)).tolist() == [[[22, 23], [32, 33]]]
    assert both(T.CenterCrop(3), grid(2, 2)).tolist() == [[[0, 1, 0], [10, 11, 0], [0, 0, 0]]]
    assert both(T.CenterCrop((1, 4)), grid(3, 2)).tolist() == [[[0, 10, 11, 0]]]


def test_random_crop_takes_every_place_and_no_other():
    norch.manual_seed(0)
    corners = {T.RandomCrop(2)(grid(3, 4))[0, 0, 0].item() for _ in range(100)}
    assert corners == {0, 1, 2, 10, 11, 12}
    assert T.RandomCrop((3, 4))(grid(3, 4)).tolist() == grid(3, 4).tolist()
    norch.manual_seed(1)
    first = T.RandomCrop(5)(grid(9, 9))
    norch.manual_seed(1)
    assert norch.equal(F.pil_to_tensor(T.RandomCrop(5)(F.to_pil_image(grid(9, 9)))), first)


@pytest.mark.parametrize(
    ("padding", "options", "expected"),
    [
        ((2, 0), {}, [0, 0, 0, 1, 2, 0, 0]),
        ((1, 0, 3, 0), {"fill": 7}, [7, 0, 1, 2, 7, 7, 7]),
        ((2, 0), {"padding_mode": "edge"}, [0, 0, 0, 1, 2, 2, 2]),
        ((2, 0), {"padding_mode": "reflect"}, [2, 1, 0, 1, 2, 1, 0]),
        ((2, 0), {"padding_mode": "symmetric"}, [1, 0, 0, 1, 2, 2, 1]),
        ((-1, 0, 1, 0), {"padding_mode": "edge"}, [1, 2, 2]),
        ((-1, 0), {}, [1]),
    ],
)
def test_padding(padding, options, expected):
    assert both(T.Pad(padding, **options), grid(1, 3)).tolist() == [[expected]]
    cropped = T.RandomCrop((1, len(expected)), padding, **options)
    assert cropped(grid(1, 3)).tolist() == [[expected]]


def test_padding_of_colours_palettes_and_more():
    assert T.RandomCrop(32, padding=4)(norch.ones(3, 32, 32)).shape == (3, 32, 32)
    assert both(T.Pad(1), grid(1, 1, 3) + 1).sum().item() == 1 + 101 + 201
    assert T.RandomCrop(5, pad_if_needed=True)(grid(2, 2)).shape == (1, 5, 5)
    colour = F.pad(Image.new("RGB", (1, 1)), 1, fill=(1, 2, 3))
    assert colour.getpixel((0, 0)) == (1, 2, 3) and colour.getpixel((1, 1)) == (0, 0, 0)
    palette = F.to_pil_image(grid(4, 4, 3)).convert("P")
    for mode in ("constant", "edge"):
        padded = F.pad(palette, 2, padding_mode=mode)
        assert padded.mode == "P" and padded.getpalette() == palette.getpalette()
    for mode in ("1", "I", "F", "I;16"):
        image = F.to_pil_image(grid(3, 4)).convert("I").convert(mode)
        padded = F.pad(image, (2, 1), padding_mode="symmetric")
        assert padded.mode == mode and padded.size == (8, 5)
        assert padded.getpixel((2, 1)) == image.getpixel((0, 0))


def test_crop_may_lie_outside():
    for place in ((-1, -1), (2, 3), (0, 0)):
        part = both(lambda image, place=place: F.crop(image, *place, 3, 3), grid(4, 5) + 1)
        assert part.shape == (1, 3, 3)
    assert F.crop(grid(4, 5) + 1, 3, 4, 2, 2).tolist() == [[[35, 0], [0, 0]]]


def test_flips_mirror_with_their_probability():
    assert both(T.RandomHorizontalFlip(1.0), grid(2, 3)).tolist() == [[[2, 1, 0], [12, 11, 10]]]
    assert both(T.RandomVerticalFlip(1.0), grid(2, 3)).tolist() == [[[10, 11, 12], [0, 1, 2]]]
    assert both(T.RandomHorizontalFlip(1.0), grid(2, 3, 3))[1, 0].tolist() == [102, 101, 100]
    assert T.RandomHorizontalFlip(0.0)(grid(2, 3)).tolist() == grid(2, 3).tolist()
    norch.manual_seed(0)
    flipped = sum(T.RandomHorizontalFlip()(grid(1, 2))[0, 0, 0].item() for _ in range(400))
    assert 160 < flipped < 240


# ---- sizes ---------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("mode", [T.InterpolationMode.BILINEAR, "bicubic", 3, 1, "nearest"])
@pytest.mark.parametrize("size", [(5, 4), (20, 33), 7])
def test_resize_of_images_is_pillows(mode, size):
    image = F.to_pil_image(grid(12, 10, 3))
    target = (4, 5) if size == (5, 4) else (33, 20) if size == (20, 33) else (7, 8)
    number = {"bicubic": 3, "nearest": 0, T.InterpolationMode.BILINEAR: 2}.get(mode, mode)
    made = T.Resize(size, mode)(image)
    assert made.size == target and made.tobytes() == image.resize(target, number).tobytes()


@pytest.mark.parametrize(
    ("size", "options", "shape", "expected"),
    [
        (4, {}, (8, 6), (5, 4)),
        (4, {}, (6, 8), (4, 5)),
        ([4], {}, (6, 8), (4, 5)),
        ((4, 4), {}, (6, 8), (4, 4)),
        (8, {}, (8, 8), (8, 8)),
        (4, {"max_size": 6}, (5, 20), (1, 6)),
    ],
)
def test_resize_to_the_shorter_side(size, options, shape, expected):
    resize = T.Resize(size, **options)
    assert resize(grid(*shape, 3)).shape == (3, *expected)
    assert resize(grid(*shape)[0]).shape == expected
    assert resize(norch.zeros(2, 3, *shape)).shape == (2, 3, *expected)
    assert resize(Image.new("RGB", shape[::-1])).size == expected[::-1]


def test_resize_of_bytes_is_by_channels_and_rounds():
    """(C, H, W): an image (3, 32, 32) of bytes was once read as (H, W, C)."""
    small = T.Resize((1, 3))(norch.tensor([[ROW]]).to(norch.uint8))
    assert small.dtype == norch.uint8 and small.tolist() == [[[3, 5, 4]]]
    assert T.Resize(16)(norch.zeros(3, 32, 32, dtype=norch.uint8)).shape == (3, 16, 16)
    sharp = norch.tensor([[[0, 0, 255, 255]]], dtype=norch.uint8)
    assert T.Resize((1, 8), "bicubic")(sharp).amin().item() == 0


def test_bytes_at_half_way_round_as_pytorchs():
    """From 32 to 24 pixels half of the weights meet at halves; PyTorch 2.13 gave the sums."""
    image = ((norch.arange(1024) * 37) % 256).reshape(1, 32, 32).to(norch.uint8)
    small = T.Resize(24)(image).long()
    assert small.sum().item() == 73484
    assert small[0, 5, :6].tolist() == [125, 134, 148, 154, 84, 116]


def test_resized_crop_draws_area_and_shape():
    norch.manual_seed(0)
    crop = T.RandomResizedCrop((4, 6), scale=(0.2, 0.5), ratio=(0.5, 2.0))
    assert crop(grid(20, 20, 3)).shape == (3, 4, 6)
    assert crop(F.to_pil_image(grid(20, 20, 3))).size == (6, 4)
    for _ in range(200):
        top, left, height, width = crop.get_params(grid(40, 50), crop.scale, crop.ratio)
        assert 0 <= top <= 40 - height and 0 <= left <= 50 - width
        assert 0.18 < height * width / 2000 < 0.53 and 0.45 < width / height < 2.2
    # Where nothing fits: the middle, as near to the shape as can be.
    assert crop.get_params(grid(4, 100), (1, 1), (0.5, 2.0)) == (0, 46, 4, 8)
    assert crop.get_params(grid(100, 4), (1, 1), (0.5, 2.0)) == (46, 0, 8, 4)


# ---- turns and holes -----------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0, 90, 180, -90, 270, 30, -45.5])
@pytest.mark.parametrize("expand", [False, True])
def test_turning_a_tensor_is_turning_a_image(angle, expand):
    """At right angles exactly; between, a pixel at the edge of two may be the other one."""
    image = grid(9, 7, 3) + 1
    tensor = F.rotate(image, angle, expand=expand)
    made = F.pil_to_tensor(F.rotate(F.to_pil_image(image), angle, expand=expand))
    assert made.shape == tensor.shape
    differing = (made != tensor).float().mean().item()
    exact = angle % 180 == 0 or (angle % 90 == 0 and expand)
    assert differing == 0 if exact else differing < 0.15


def test_turning_fills_and_has_a_centre():
    corner = F.rotate(norch.ones(3, 9, 9), 45, "bilinear", fill=[1.0, 2.0, 3.0])[:, 0, 0]
    assert corner.tolist() == [1.0, 2.0, 3.0]
    around = F.rotate(grid(4, 4) + 1, 180, center=(0, 0), fill=9)
    assert around.tolist() == norch.full((1, 4, 4), 9).tolist()
    norch.manual_seed(0)
    assert {T.RandomRotation.get_params([10, 20]) // 10 for _ in range(20)} == {1.0}
    assert T.RandomRotation((10, 20), fill=3)(F.to_pil_image(grid(5, 5, 3))).size == (5, 5)


def test_erasing_writes_over_a_part():
    norch.manual_seed(0)
    image = norch.ones(3, 10, 20)
    for value, expected in ((0, 0.0), ((5.0, 6.0, 7.0), 5.0), ("random", None)):
        erased = T.RandomErasing(1.0, value=value)(image)
        share = (erased != image).float().mean().item()
        assert 0.01 < share < 0.4 and norch.equal(image, norch.ones(3, 10, 20))
        if expected is not None:
            assert set(erased[0].flatten().tolist()) == {1.0, expected}
    assert T.RandomErasing(0.0)(image) is image
    assert T.RandomErasing(1.0, inplace=True)(image) is image and image.amin().item() == 0


def test_in_a_chain():
    chain = T.Compose(
        [T.Resize(36), T.RandomCrop(32), T.RandomHorizontalFlip(), T.ToTensor(), T.CenterCrop(28)]
    )
    assert chain(F.to_pil_image(grid(20, 25, 3))).shape == (3, 28, 28)
    assert "RandomCrop(size=(32, 32), padding=None)" in repr(chain)
    assert repr(T.RandomResizedCrop(8)) == (
        "RandomResizedCrop(size=(8, 8), scale=(0.08, 1.0), ratio=(0.75, 1.3333), "
        "interpolation=bilinear, antialias=True)"
    )


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: T.CenterCrop(0), r"\[CenterCrop\] a size, .* above 0 is expected, not 0"),
        (lambda: T.Resize((1, 2, 3)), r"not \(1, 2, 3\)"),
        (lambda: T.Resize(4, "cubic"), r"one of \['nearest', .* not 'cubic'"),
        (lambda: T.Resize(4, 77), "not 77"),
        (lambda: T.Resize(4, "lanczos")(grid(8, 8)), "is for PIL images"),
        (lambda: T.Resize(4, max_size=4)(grid(8, 8)), "max_size 4 must be above the size 4"),
        (lambda: T.Resize(4)(norch.zeros(3, 0, 5)), r"\[resize\] an image of 0 x 5 has no pixels"),
        (lambda: T.Pad(1, padding_mode="edge")(norch.zeros(1, 2, 0)), r"\[pad\] .* has no pixels"),
        (lambda: T.RandomResizedCrop(4)(Image.new("L", (0, 5))), "of 5 x 0 has no pixels"),
        (lambda: T.Resize((4, 4), max_size=5)(grid(8, 8)), "goes with one number"),
        (lambda: T.RandomHorizontalFlip(2), "p must lie between 0 and 1, not 2"),
        (lambda: T.RandomCrop(2, padding_mode="wrap"), "not 'wrap'"),
        (lambda: T.Pad((1, 2, 3)), r"two .* or four .*, not \(1, 2, 3\)"),
        (lambda: T.Pad(3, padding_mode="reflect")(grid(3, 9)), r"too much to mirror from \(3, 9\)"),
        (lambda: F.pad(Image.new("RGB", (2, 2)), 1, fill=(1, 2)), "for the 3 bands of mode RGB"),
        (lambda: F.pad(grid(2, 2), 1, fill=(1, 2)), "one number fills"),
        (lambda: T.RandomCrop(4)(grid(3, 9)), r"\(4, 4\) does not fit into \(3, 9\): pad"),
        (lambda: T.RandomResizedCrop(4, scale=(1, 0.5)), "must be 0 or more and rise"),
        (lambda: T.RandomRotation(-3), "a number of 0 or more, or a pair, not -3"),
        (lambda: F.rotate(grid(4, 4), 30, "bicubic"), "by nearest or bilinear, not"),
        (lambda: T.RandomErasing(value="noise"), "or 'random', not 'noise'"),
        (lambda: T.RandomErasing(1, value=(1, 2))(norch.ones(3, 9, 9)), "2 values for 3 channels"),
    ],
)
def test_bad_arguments(action, message):
    with pytest.raises(ValueError, match=message):
        action()


@pytest.mark.parametrize("count", [10**11, 2**63, 10**30])
@pytest.mark.parametrize("mode", ["constant", "edge", "symmetric"])
def test_a_margin_that_no_memory_holds(count, mode):
    with pytest.raises((MemoryError, RuntimeError), match=r"pad|memory|fit 64 bits"):
        T.Pad((count, 0), padding_mode=mode)(grid(2, 2))
    with pytest.raises((MemoryError, RuntimeError), match="pad"):
        ReplicationPad2d((1, 2, count, 1))(norch.ones(1, 1, 1))


@pytest.mark.parametrize("bad", [norch.zeros(3), "a.png", None, [[1]]])
@pytest.mark.parametrize("transform", [T.Resize(2), T.CenterCrop(2), T.RandomCrop(2), T.Pad(1)])
def test_no_image(transform, bad):
    with pytest.raises(TypeError, match=r"is expected, not"):
        transform(bad)
