"""Images that were cut, damaged or made to do harm: the error names the file, and the sample.

In every format, opened at once or when the pixels are wanted, with workers and without, and in
every transform. An image that is only unusual is read.
"""

import io
import os
import random
import struct
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import pytest
from permissions import bound

from norch_nn.data import DataLoader
from norchvision import transforms as T
from norchvision.datasets import ImageFolder
from norchvision.transforms import functional as F

Image = pytest.importorskip("PIL.Image", reason="images need Pillow")
FORMATS = ["png", "jpeg", "gif", "bmp", "tiff", "ppm", "webp"]


def encoded(kind, size=(40, 30)):
    """An image of noise in a format; noise is not made much smaller, so that a cut meets it."""
    file, dice = io.BytesIO(), random.Random(1)
    image = Image.frombytes("RGB", size, dice.randbytes(3 * size[0] * size[1]))
    try:
        image.save(file, kind)
    except (KeyError, OSError):
        pytest.skip(f"this Pillow writes no {kind}")
    return file.getvalue()


def png(width, height, content=b""):
    """A PNG that says it has this size."""

    def chunk(name, data):
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(content)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


DAMAGES = {
    "half": lambda kind: encoded(kind)[: len(encoded(kind)) // 2],
    "cut": lambda kind: encoded(kind)[:-200],
    "nothing": lambda kind: b"",
    "one byte": lambda kind: encoded(kind)[:1],
    "only the head": lambda kind: encoded(kind)[:30],
    "zeros": lambda kind: bytes(3000),
    "text": lambda kind: b"<html>not found</html>" * 50,
    "a cut gzip": lambda kind: b"\x1f\x8b\x08\0" + bytes(30),
    "a bomb": lambda kind: png(65_000, 65_000, bytes(10_000)),
    "the largest size": lambda kind: png(2**31 - 1, 2**31 - 1),
    "a size below 0": lambda kind: png(2**32 - 1, 2**32 - 1),
    "no size": lambda kind: png(0, 0),
    "a size without pixels": lambda kind: png(40, 30),
    "pixels that are none": lambda kind: png(40, 30).replace(b"IDAT", b"IDAT\0\0\0\0\0\0"),
}


@pytest.fixture
def folder(tmp_path):
    """A folder of four images, of which the third, sample 2, is to be harmed."""
    (tmp_path / "cat").mkdir()
    for name in "abcd":
        (tmp_path / "cat" / f"{name}.png").write_bytes(encoded("png"))
    return tmp_path


def opened_late(path):
    """A loader that reads no pixels, and leaves no file open."""
    return Image.open(io.BytesIO(Path(path).read_bytes()))


def seen(error):
    """What a person sees of an error, but for where it was raised."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


@pytest.mark.parametrize("loader", [None, opened_late], ids=["at once", "late"])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_image_is_told_with_its_file_and_number(damage, kind, loader, folder):
    path = folder / "cat" / "c.png"  # the ending says nothing of what is in it
    path.write_bytes(DAMAGES[damage](kind))
    data = ImageFolder(folder, T.ToTensor(), **{"loader": loader} if loader else {})
    with pytest.raises(Exception) as caught:
        data[2]
    assert f"[ImageFolder] this was sample 2, {path}" in seen(caught.value)
    assert loader or (type(caught.value) is OSError and str(path) in str(caught.value))
    assert data[1][0].shape == data[3][0].shape == (3, 30, 40)
    assert path.read_bytes() == DAMAGES[damage](kind)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loop_names_the_file_and_the_sample(workers, folder):
    path = folder / "cat" / "c.png"
    path.write_bytes(encoded("png")[:500])
    context = "fork" if workers else None
    loader = DataLoader(
        ImageFolder(folder, T.ToTensor()), 2, num_workers=workers, multiprocessing_context=context
    )
    with pytest.raises(OSError, match=r"c\.png is no whole image") as caught:
        list(loader)
    assert f"this was sample 2, {path}" in seen(caught.value)


READERS = {
    "ToTensor": T.ToTensor(),
    "PILToTensor": T.PILToTensor(),
    "Grayscale": T.Grayscale(),
    "Resize": T.Resize(5),
    "CenterCrop": T.CenterCrop(5),
    "Pad": T.Pad(2),
    "RandomApply": T.RandomApply([T.Pad(1)], 1.0),
    "RandomHorizontalFlip": T.RandomHorizontalFlip(1.0),
    "RandomVerticalFlip": T.RandomVerticalFlip(1.0),
    "RandomGrayscale": T.RandomGrayscale(1.0),
    "RandomRotation": T.RandomRotation(20),
    "RandomCrop": T.RandomCrop(5),
    "RandomResizedCrop": T.RandomResizedCrop(5),
    "ColorJitter": T.ColorJitter(0.5, 0.5, 0.5, 0.4),
    "Compose": T.Compose([T.Pad(1), T.ToTensor()]),
    "adjust_hue": lambda image: F.adjust_hue(image, 0.2),
    "adjust_saturation": lambda image: F.adjust_saturation(image, 0.2),
    "rgb_to_grayscale": F.rgb_to_grayscale,
    "crop": lambda image: F.crop(image, 0, 0, 2, 2),
    "rotate": lambda image: F.rotate(image, 5),
}
NONE_READ = {"ConvertImageDtype", "Lambda", "Normalize", "RandomChoice", "RandomErasing", "Reshape"}
NONE_READ |= {"ToPILImage"}  # of tensors, or of other transforms


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("reader", READERS)
def test_every_transform_names_the_file_that_it_cannot_read(reader, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(encoded("png")[:500])
    with Image.open(path) as image, pytest.raises(OSError, match=r"^\[\w+\] .*a\.png is no whole"):
        READERS[reader](image)
    with Image.open(path) as image:
        assert F.get_image_size(image) == [40, 30]  # the head is whole, and no more is asked for
        image.fp.close()


def test_every_transform_stands_in_the_list():
    classes = {name for name, kind in vars(T).items() if isinstance(kind, type)}
    assert (
        classes - {"InterpolationMode"}
        == {name for name in READERS if name[0].isupper()} | NONE_READ
    )


@pytest.mark.parametrize(
    "mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "YCbCr", "LAB", "I;16", "I", "F"]
)
def test_an_unusual_image_is_read(mode, tmp_path):
    (tmp_path / "a").mkdir()
    file = tmp_path / "a" / "a.tiff"
    kind = "JPEG" if mode == "YCbCr" else "TIFF"
    Image.new(mode, (5, 4), 1 if len(mode) < 2 or mode == "I;16" else None).save(file, kind)
    image, _ = ImageFolder(tmp_path, T.ToTensor())[0]
    assert image.shape == (3, 4, 5) and image.amin() >= 0 and image.amax() <= 1
    with Image.open(file) as late:
        assert T.PILToTensor()(late).shape[1:] == (4, 5)


def test_a_large_image_is_read_with_a_warning(tmp_path):
    """Pillow warns of more than MAX_IMAGE_PIXELS, and refuses twice as many."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.png").write_bytes(encoded("png", (40, 30)))
    most, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, 1000
    try:
        with pytest.warns(Image.DecompressionBombWarning):
            assert ImageFolder(tmp_path)[0][0].size == (40, 30)
        Image.MAX_IMAGE_PIXELS = 100
        with (
            warnings.catch_warnings(),
            pytest.raises(OSError, match=r"a\.png .* decompression bomb"),
        ):
            ImageFolder(tmp_path)[0]
    finally:
        Image.MAX_IMAGE_PIXELS = most


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_not_waited_for(kind, folder):
    path = folder / "cat" / "c.png"
    path.unlink()
    {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "folder": lambda: path.symlink_to(folder, target_is_directory=True),
    }[kind]()
    data = ImageFolder(folder)
    if kind == "folder":  # a circle, which ends where it began
        assert len(data) == 3
        return
    with pytest.raises(OSError, match=r"\[ImageFolder\] .*c\.png is no image: it is not a plain"):
        data[2]


@pytest.mark.parametrize("closed", ["file", "folder", "folder below"])
def test_an_image_that_may_not_be_read(closed, folder):
    """A folder that cannot be looked into is no empty one: its images would be missing."""
    (folder / "cat" / "below").mkdir()
    place = folder / {"file": "cat/c.png", "folder": "cat", "folder below": "cat/below"}[closed]
    program = (
        "import sys; from norchvision.datasets import ImageFolder\n"
        "try: ImageFolder(sys.argv[1])[2]\nexcept OSError as error: print(error)"
    )
    mode = place.stat().st_mode
    place.chmod(0)
    try:
        words = [*bound(), sys.executable, "-c", program, str(folder)]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=600)
    finally:
        place.chmod(mode)
    assert "Permission denied" in ended.stdout and str(place) in ended.stdout, ended
