"""MNIST: where the files are looked for, and every way they can be missing or wrong."""

import gzip
import os
import struct
from pathlib import Path

import pytest

import norch_autograd as norch
from norch_nn.data import DataLoader
from norchvision import transforms as T
from norchvision.datasets import MNIST, download, sources

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


def idx(shape, values):
    return bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + values


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """No data of the machine, no network: a cache of this test's own."""
    monkeypatch.delenv("NORCH_DATA", raising=False)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "MIRRORS", ())
    sources.announce.cache_clear()
    return tmp_path


@pytest.fixture
def put(small_files):
    """A function that writes the small set to a folder and returns the folder."""

    def write(folder, suffix=".gz"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in small_files.items():
            packed = gzip.compress(content) if suffix else content
            (folder / (name + suffix)).write_bytes(packed)
        return folder

    return write


@pytest.mark.parametrize("sub", ["", "mnist", "MNIST", "MNIST/raw"])
@pytest.mark.parametrize("suffix", [".gz", ""])
def test_norch_data_may_hold_the_files_or_a_folder_of_them(sub, suffix, alone, put, monkeypatch):
    folder = put(alone / "data" / sub, suffix)
    monkeypatch.setenv("NORCH_DATA", str(alone / "data"))
    train, test = MNIST.splits()
    assert (len(train), len(test)) == (3, 2) and Path(train.source) == folder
    image, label = train[1]
    assert image.mode == "L" and image.size == (28, 28)  # a PIL image, as in torchvision
    assert image.getextrema() == (1, 1) and label == 6 and type(label) is int
    assert tuple(train.data.shape) == (3, 28, 28) and train.targets.dtype == norch.int64


def test_root_comes_first_then_norch_data_then_the_cache(alone, put, monkeypatch):
    put(alone / "cache")
    assert Path(MNIST().source) == alone / "cache"
    put(alone / "data" / "mnist")
    monkeypatch.setenv("NORCH_DATA", str(alone / "data"))
    assert Path(MNIST().source) == alone / "data" / "mnist"
    assert Path(MNIST(alone / "none").source) == alone / "data" / "mnist"
    put(alone / "root")
    assert Path(MNIST(alone / "root", download=False).source) == alone / "root"


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        (IMAGES, None, "train-images-idx3-ubyte.gz is missing"),
        (LABELS, None, "train-labels-idx1-ubyte.gz is missing"),
        (IMAGES, lambda good: gzip.compress(good)[:-20], "train-images-idx3-ubyte is corrupt"),
        (
            IMAGES,
            lambda good: gzip.compress(good)[:30] + b"\0" * 40,
            "train-images-idx3-ubyte is (corrupt|not an idx file)",
        ),
        (IMAGES, lambda good: b"<html>not found</html>", "train-images.*is not an idx file"),
        (IMAGES, lambda good: b"", "train-images.*is not an idx file of bytes: it starts b''"),
        (IMAGES, lambda good: good[:10], "train-images.*its header is cut off"),
        (IMAGES, lambda good: good[:-1], r"\(3, 28, 28\) needs 2352 bytes, the file has 2351"),
        (IMAGES, lambda good: idx((3, 8, 8), bytes(192)), r"\(3, 8, 8\), not \(N, 28, 28\)"),
        (LABELS, lambda good: idx((2,), bytes(2)), r"labels.* \(2,\), but there are 3 images"),
        (LABELS, lambda good: idx((3,), b"\1\2\x0a"), "train-labels.* holds the label 10"),
    ],
)
def test_missing_or_corrupt_files_are_named(name, damage, message, alone, put, monkeypatch):
    path = put(alone / "data", "") / name
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage(path.read_bytes()))
    monkeypatch.setenv("NORCH_DATA", str(alone / "data"))
    with pytest.raises(RuntimeError, match=rf"\[MNIST\].*{message}"):
        MNIST()


def test_a_small_file_that_unpacks_to_all_of_memory(alone, put, monkeypatch):
    monkeypatch.setattr("norchvision.datasets.reading.LARGEST", 1000)
    with pytest.raises(RuntimeError, match="unpacks to more than 1000 bytes"):
        MNIST(put(alone / "root"))


def test_folders_without_the_files(alone, monkeypatch):
    with pytest.raises(
        RuntimeError, match=r"there is no folder .*none \(correct the folder, or pass"
    ):
        MNIST(alone / "none", download=False)
    with pytest.raises(RuntimeError, match=r"has no train-images-idx3-ubyte.gz \(correct"):
        MNIST(alone, download=False)
    monkeypatch.setenv("NORCH_DATA", str(alone))
    with pytest.raises(RuntimeError, match="NORCH_DATA points there: correct it, or unset it"):
        MNIST()


def test_the_embedded_digits_are_announced_in_one_line(alone, capfd):
    train, test = MNIST.splits()
    assert train.source == test.source == "embedded"
    assert (len(train), len(test)) == (1500, 297)
    shown = capfd.readouterr().err
    assert shown.count("\n") == 1 and "1,797 real digits" in shown
    assert tuple(train.data.shape) == (1500, 28, 28) and train.data.dtype == norch.uint8
    assert train.data.max().item() == 255 and train.data[:, :2].sum().item() == 0
    assert test.targets.amax().item() == 9 and test.targets.amin().item() == 0
    assert list(os.listdir(alone)) == ["cache"] and not list((alone / "cache/mnist").iterdir())


def test_the_embedded_digits_are_scikit_learns():
    digits = pytest.importorskip("sklearn.datasets").load_digits()
    images = sources.read_embedded("digits-images-idx3-ubyte.gz")
    labels = sources.read_embedded("digits-labels-idx1-ubyte.gz")
    assert images.tolist() == digits.images.tolist() and labels.tolist() == digits.target.tolist()


def test_enlarging_makes_blocks_of_nine():
    small = norch.zeros(1, 8, 8, dtype=norch.uint8)
    small[0, 0, 7] = 16
    big = sources.enlarge(small)
    assert tuple(big.shape) == (1, 28, 28) and big.to(norch.int64).sum().item() == 9 * 255
    assert big[0, 2:5, 23:26].tolist() == [[255] * 3] * 3 and big[0, 5, 23].item() == 0


def test_transforms_and_batches(alone, put):
    transform = T.Compose([T.ToTensor(), T.Reshape([-1, 784, 1])])
    train, _ = MNIST.splits(
        put(alone / "root"), transform=transform, target_transform=T.Compose([T.ToTensor()])
    )
    images, labels = next(iter(DataLoader(train, batch_size=3)))
    assert tuple(images.shape) == (3, 1, 784, 1) and images.dtype == norch.float32
    assert images.amax().item() == pytest.approx(2 / 255)
    assert labels.tolist() == [5, 6, 7] and labels.dtype == norch.int64
    assert repr(train) == (
        f"Dataset MNIST\n    Number of datapoints: 3\n    Root location: {alone / 'root'}\n"
        "    Split: Train\n    StandardTransform\nTransform: Compose(\n"
        "               ToTensor()\n               Reshape([-1, 784, 1])\n           )\n"
        "Target transform: Compose(\n                      ToTensor()\n                  )"
    )


def test_classes_and_old_names(alone, put):
    train, test = MNIST.splits(put(alone / "root"))
    assert train.classes[3] == "3 - three" and isinstance(train.classes, list)
    assert train.class_to_idx["3 - three"] == 3 and len(train.class_to_idx) == 10
    assert train.train_data is train.data and train.train_labels is train.targets
    assert test.test_data is test.data and test.test_labels is test.targets


def test_images_in_a_batch_ask_for_a_transform(alone, put):
    train, _ = MNIST.splits(put(alone / "root"))
    with pytest.raises(TypeError, match=r"type Image .* transform=ToTensor\(\)"):
        next(iter(DataLoader(train, batch_size=2)))


def test_real_mnist(mnist_folder):
    train, test = MNIST.splits(mnist_folder, download=False)
    assert (len(train), len(test)) == (60000, 10000)
    assert train.targets[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert round(train.data[:1000].float().mean().item() / 255, 2) == 0.13


def test_cache_folder(monkeypatch):
    monkeypatch.delenv("NORCH_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert sources.cache_folder() == Path("/somewhere/norch")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert sources.cache_folder().name == "norch"
    monkeypatch.setenv("NORCH_CACHE", "/elsewhere")
    assert sources.cache_folder() == Path("/elsewhere")


def test_all_mirrors_serve_the_right_names():
    assert all(mirror.endswith("/") for mirror in sources.MIRRORS) and len(sources.MIRRORS) > 2
    assert download.TIMEOUT <= 15
