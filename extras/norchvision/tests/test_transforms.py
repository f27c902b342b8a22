"""Conversions and colours: images in, tensors out, and back."""

import pickle
import subprocess
import sys

import pytest

import norch_autograd as norch
import norch_nn as nn
from norchvision import transforms as T
from norchvision.transforms import functional as F

Image = pytest.importorskip("PIL.Image", reason="images need Pillow")


def sample(height=4, width=5, mode="RGB"):
    """A PIL image of which every pixel is another one."""
    bands = len(mode) if mode in ("L", "LA", "RGB", "RGBA") else 1
    count = height * width * bands
    content = bytes(i * 7 % 256 for i in range(count))
    return Image.frombytes(mode if bands > 1 else "L", (width, height), content).convert(mode)


def numbers(image):
    """The pixels of a PIL image, row by row."""
    return [[image.getpixel((x, y)) for x in range(image.size[0])] for y in range(image.size[1])]


# ---- to tensors ----------------------------------------------------------------------------------


def test_to_tensor_scales_and_puts_channels_first():
    grey, colour = T.ToTensor()(sample(mode="L")), T.ToTensor()(sample())
    assert tuple(grey.shape) == (1, 4, 5) and tuple(colour.shape) == (3, 4, 5)
    assert grey.dtype == norch.float32 and grey.is_contiguous() and colour.is_contiguous()
    assert grey[0, 1, 2].item() == pytest.approx(numbers(sample(mode="L"))[1][2] / 255)
    assert (colour[:, 1, 4] * 255).tolist() == pytest.approx(numbers(sample())[1][4])


@pytest.mark.parametrize(
    ("mode", "channels", "dtype"),
    [
        ("1", 1, norch.float32),
        ("L", 1, norch.float32),
        ("LA", 2, norch.float32),
        ("P", 1, norch.float32),
        ("RGBA", 4, norch.float32),
        ("CMYK", 4, norch.float32),
        ("I", 1, norch.int32),
        ("I;16", 1, norch.int32),
        ("F", 1, norch.float32),
    ],
)
def test_to_tensor_takes_images_of_every_mode(mode, channels, dtype):
    image = sample(mode="L").convert("I").convert(mode) if mode == "I;16" else None
    tensor = T.ToTensor()(image or sample(mode="L").convert(mode))
    assert tuple(tensor.shape) == (channels, 4, 5) and tensor.dtype == dtype
    if mode in ("I", "I;16", "F"):  # their numbers are no bytes
        assert tensor[0].tolist() == numbers(sample(mode="L"))
    if mode == "1":
        assert set(tensor.flatten().tolist()) == {0.0, 1.0}


def test_to_tensor_takes_arrays_and_numbers():
    np = pytest.importorskip("numpy")
    assert T.ToTensor()(np.full((2, 3), 255, dtype=np.uint8)).tolist() == [[[1.0] * 3] * 2]
    flat = np.arange(24, dtype=np.float64).reshape(2, 4, 3)[:, ::-1]
    assert T.ToTensor()(flat).tolist() == flat.transpose(2, 0, 1).tolist()
    label = T.ToTensor()(7)
    assert label.dtype == norch.int64 and tuple(label.shape) == () and label.item() == 7


def test_pil_to_tensor_keeps_the_numbers():
    tensor = T.PILToTensor()(sample(mode="L"))
    assert tensor.dtype == norch.uint8 and tensor[0].tolist() == numbers(sample(mode="L"))
    bits = T.PILToTensor()(sample(mode="1"))
    assert bits.dtype == norch.bool and bits.any()


@pytest.mark.parametrize(
    ("given", "dtype", "expected"),
    [
        (norch.tensor([0, 51, 255], dtype=norch.uint8), norch.float32, [0.0, 0.2, 1.0]),
        (norch.tensor([0.0, 0.5, 1.0]), norch.uint8, [0, 127, 255]),
        (norch.tensor([0, 1, 255], dtype=norch.uint8), norch.int32, [0, 2**23, 255 * 2**23]),
        (norch.tensor([0, 2**23, 2**31 - 1], dtype=norch.int32), norch.uint8, [0, 1, 255]),
        (norch.tensor([True, False]), norch.float32, [1.0, 0.0]),
        (norch.tensor([0.25]), norch.float64, [0.25]),
    ],
)
def test_another_dtype_is_another_scale(given, dtype, expected):
    found = T.ConvertImageDtype(dtype)(given)
    assert found.dtype == dtype and found.tolist() == pytest.approx(expected)


# ---- to images ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_a_image_survives_the_way_to_a_tensor_and_back(mode):
    image = sample(mode=mode)
    for tensor in (T.ToTensor()(image), T.PILToTensor()(image)):
        again = T.ToPILImage()(tensor)
        assert again.mode == mode and numbers(again) == numbers(image)


def test_to_pil_image_of_tensors_and_arrays():
    np = pytest.importorskip("numpy")
    columns = norch.arange(6, dtype=norch.uint8).reshape(3, 2).t()  # not contiguous
    assert numbers(T.ToPILImage()(columns)) == columns.tolist()
    assert T.ToPILImage()(norch.full((2, 3), 0.5)).getpixel((0, 0)) == 127
    assert T.ToPILImage("F")(norch.full((2, 3), 0.5)).getpixel((0, 0)) == 0.5
    assert T.ToPILImage()(norch.full((1, 2, 3), 70000, dtype=norch.int32)).mode == "I"
    assert T.ToPILImage("YCbCr")(norch.zeros(3, 2, 2)).mode == "YCbCr"
    array = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert np.asarray(T.ToPILImage()(array)).tolist() == array.tolist()
    assert T.ToPILImage()(np.ones((2, 2))).getpixel((0, 0)) == 255


# ---- colours -------------------------------------------------------------------------------------


def test_normalize_each_channel():
    image = norch.ones(2, 1, 1)
    assert T.Normalize([0.0, 0.5], [2.0, 0.25])(image).flatten().tolist() == [0.5, 2.0]
    assert image.flatten().tolist() == [1.0, 1.0]
    assert T.Normalize(0.5, 0.5)(image).flatten().tolist() == [1.0, 1.0]
    assert T.Normalize([0.0, 0.5], [2.0, 0.25], inplace=True)(image) is image
    assert image.flatten().tolist() == [0.5, 2.0]


RED, MIXED = (255, 0, 0), (10, 100, 200)


@pytest.mark.parametrize(
    ("change", "colour", "expected"),
    [
        (lambda img: F.adjust_brightness(img, 0.5), MIXED, (5, 50, 100)),
        (lambda img: F.adjust_brightness(img, 2), MIXED, (20, 200, 255)),
        (lambda img: F.adjust_contrast(img, 0), MIXED, (84, 84, 84)),
        (lambda img: F.adjust_contrast(img, 1), MIXED, MIXED),
        (lambda img: F.adjust_saturation(img, 0), MIXED, (84, 84, 84)),
        (lambda img: F.adjust_hue(img, 1 / 3), RED, (0, 255, 0)),
        (lambda img: F.adjust_hue(img, -1 / 3), RED, (0, 0, 255)),
        (lambda img: F.adjust_hue(img, 0), MIXED, MIXED),
        (lambda img: F.rgb_to_grayscale(img, 3), RED, (76, 76, 76)),
    ],
)
def test_colours_of_images_and_of_tensors(change, colour, expected):
    """Pillow rounds on its way through HSV, and counts its hue in 255 parts."""
    image = Image.new("RGB", (3, 2), colour)
    for made in (change(image).getpixel((2, 1)), change(F.pil_to_tensor(image))[:, 1, 2].tolist()):
        assert made == pytest.approx(expected, abs=6)
    floats = change(F.to_tensor(image))[:, 1, 2] * 255
    assert floats.tolist() == pytest.approx(expected, abs=1.01)


def test_grey_images_stay_grey():
    grey = F.to_tensor(sample(mode="L"))
    for change in (F.adjust_hue, F.adjust_saturation):
        assert norch.equal(change(grey, 0.5), grey)
        assert numbers(change(sample(mode="L"), 0.5)) == numbers(sample(mode="L"))
    assert T.Grayscale(3)(sample(mode="L")).mode == "RGB"
    assert T.RandomGrayscale(1.0)(sample()).mode == "RGB"
    assert F.to_grayscale(sample()).mode == "L"
    assert tuple(T.Grayscale()(norch.zeros(2, 3, 4, 4)).shape) == (2, 1, 4, 4)


RARE = ("P", "1", "I", "I;16", "F", "PA", "La", "RGBa", "LAB")


@pytest.mark.parametrize("mode", RARE)
def test_what_pillow_cannot_change_is_refused_with_advice_that_helps(mode):
    """As in torchvision a ValueError, which hue and grey also raise where there are colours."""
    frombytes = mode in ("LAB", "I;16")
    image = (
        Image.frombytes(mode, (2, 2), bytes(range(12))[: 8 if mode == "I;16" else 12])
        if frombytes
        else sample(2, 2).convert({"La": "LA", "RGBa": "RGBA"}.get(mode, "RGB")).convert(mode)
    )
    for change in (F.adjust_contrast, F.adjust_saturation):
        with pytest.raises(ValueError, match=rf"^\[{change.__name__}\] an image of mode '{mode}'"):
            change(image, 1.5)
    changes = [T.ColorJitter(hue=(0.2, 0.2)), T.Grayscale()]
    if mode in ("La", "LAB"):
        for change in changes:
            with pytest.raises(ValueError, match="cannot be changed so: "):
                change(image)
    else:
        assert [change(image).mode for change in changes] == [mode, "L"]
    if mode != "LAB":  # which Pillow's ImageCms alone converts
        advised = image.convert({"La": "LA", "RGBa": "RGBA"}.get(mode, "RGB"))
        assert F.adjust_contrast(advised, 1.5).mode == advised.mode


def test_jitter_draws_its_factors_and_their_order():
    assert repr(T.ColorJitter(0.25, (0.5, 2), 0, 0.125)) == (
        "ColorJitter(brightness=(0.75, 1.25), contrast=(0.5, 2.0), saturation=None, "
        "hue=(-0.125, 0.125))"
    )
    norch.manual_seed(3)
    order, *factors = T.ColorJitter.get_params((0.5, 1.5), None, (0, 1), None)
    assert sorted(order.tolist()) == [0, 1, 2, 3] and factors[1] is factors[3] is None
    norch.manual_seed(3)
    assert norch.randperm(4).tolist() == order.tolist()
    assert [norch.empty(1).uniform_(*b).item() for b in ((0.5, 1.5), (0, 1))] == factors[::2]
    for image in (sample(), F.to_tensor(sample())):
        made = [T.ColorJitter(0.5, 0.5, 0.5, 0.5)(image) for _ in range(8)]
        tensors = [one if isinstance(one, norch.Tensor) else F.to_tensor(one) for one in made]
        assert not any(norch.equal(tensors[0], one) for one in tensors[1:])


# ---- chains --------------------------------------------------------------------------------------


def test_compose_reshape_lambda_and_their_reprs():
    chain = T.Compose([T.ToTensor(), T.Normalize([0], [1]), T.Reshape([-1, 4]), T.Lambda(len)])
    assert chain(sample(2, 4, "L")) == 2
    assert repr(chain) == (
        "Compose(\n    ToTensor()\n    Normalize(mean=[0], std=[1])\n"
        "    Reshape([-1, 4])\n    Lambda()\n)"
    )


def test_chances():
    norch.manual_seed(0)
    half = T.RandomApply([T.Pad(1), T.Pad(1)], p=0.5)
    widths = [half(sample(2, 2)).size[0] for _ in range(200)]
    assert set(widths) == {2, 6} and 70 < widths.count(6) < 130
    choice = T.RandomChoice([T.Pad(1), T.Pad(2), T.Pad(3)], p=[1, 1, 0])
    assert {choice(sample(2, 2)).size for _ in range(50)} == {(4, 4), (6, 6)}
    assert "p=0.5\n    Pad(padding=1, fill=0, padding_mode=constant)" in repr(half)


def test_transforms_stand_in_a_module_and_in_a_pickle():
    chain = nn.Sequential(T.CenterCrop(2), T.RandomHorizontalFlip(1.0), T.Normalize([0.0], [2.0]))
    assert chain(norch.ones(1, 4, 4)).tolist() == [[[0.5, 0.5], [0.5, 0.5]]]
    every = T.Compose([T.Resize(4), T.RandomResizedCrop(2), T.ColorJitter(0.1), T.ToTensor()])
    assert repr(pickle.loads(pickle.dumps(every))) == repr(every)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: T.ToTensor()(norch.zeros(3, 4, 4)), TypeError, r"a Tensor \(3, 4, 4\).*Convert"),
        (lambda: T.ToTensor()("cat.png"), TypeError, r"not str.*PIL.Image.open\('cat.png'\)"),
        (lambda: T.ToTensor()([[1, 2]]), TypeError, "a PIL image or an array .* not list"),
        (lambda: T.ToTensor()(None), TypeError, "not NoneType"),
        (lambda: T.PILToTensor()(norch.zeros(3, 4, 4)), TypeError, "a PIL image is expected"),
        (lambda: T.ToPILImage()(norch.zeros(3)), ValueError, r"\(H, W\) is expected, not \(3,\)"),
        (lambda: T.ToPILImage()(norch.zeros(5, 2, 2)), ValueError, "1 to 4 channels, not 5"),
        (lambda: T.ToPILImage("L")(norch.zeros(3, 2, 2)), ValueError, "mode 'L': 3 channels make"),
        (lambda: T.ToPILImage()(norch.zeros(3, 2, 2).long()), TypeError, "use uint8"),
        (lambda: T.ToPILImage()("x"), TypeError, "a tensor or an array is expected, not str"),
        (lambda: T.Resize(3)([1]), TypeError, r"a PIL image or a tensor .* not list"),
        (lambda: T.Normalize([0], [0])(norch.zeros(1, 2, 2)), ValueError, "must not contain 0"),
        (lambda: T.Normalize([0], [1])(sample()), TypeError, "ToTensor first"),
        (lambda: T.Normalize([0], [1])(norch.zeros(2, 2)), ValueError, r"\(2, 2\)"),
        (
            lambda: T.Normalize([0, 1], [1, 1])(norch.zeros(3, 2, 2)),
            ValueError,
            "2 numbers as mean",
        ),
        (lambda: T.Lambda(3), TypeError, "a function is expected, not int"),
        (lambda: T.Reshape([5])(norch.zeros(4)), RuntimeError, "5"),
        (lambda: T.ColorJitter(-1), ValueError, "brightness must be 0 or more, not -1"),
        (lambda: T.ColorJitter(hue=0.6), ValueError, "hue must rise and lie between -0.5 and 0.5"),
        (lambda: T.ColorJitter("much"), TypeError, "a number or a pair, not 'much'"),
        (lambda: F.adjust_hue(sample(), 0.7), ValueError, "between -0.5 and 0.5, not 0.7"),
        (lambda: F.adjust_brightness(sample(), -1), ValueError, "0 or more is expected, not -1"),
        (lambda: F.adjust_contrast(norch.zeros(2, 4, 4), 1), TypeError, "1 or 3 channels"),
        (lambda: T.Grayscale(2)(sample()), ValueError, "1 or 3, not 2"),
        (lambda: T.RandomApply([], p=2), ValueError, "p must lie between 0 and 1, not 2"),
        (lambda: T.RandomChoice([abs], p=[1, 2]), ValueError, "2 weights for 1 transforms"),
        (lambda: F.convert_image_dtype(norch.zeros(2), norch.int64), RuntimeError, "use uint8"),
    ],
)
def test_bad_images(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_tensors_need_no_pillow_and_images_say_what_they_need():
    program = """if True:
        import sys
        sys.modules["PIL"] = None
        import norch_autograd as norch
        from norchvision import transforms as T
        T.Compose([T.Resize(4), T.RandomCrop(2), T.ColorJitter(0.1)])(norch.zeros(3, 8, 8))
        T.ToPILImage()(norch.zeros(3, 8, 8))
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: [vision] PIL images are wanted, and Pillow")
    assert "python -m pip install pillow" in last
