"""FashionMNIST and CIFAR10: where their files are looked for, and what is wrong with them."""

import gzip
import hashlib
import io
import tarfile

import pytest

import norch_autograd as norch
from norchvision import transforms as T
from norchvision.datasets import CIFAR10, MNIST, FashionMNIST, cifar, mnist, sources


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No data of the machine, no network: a cache of this test's own."""
    monkeypatch.delenv("NORCH_DATA", raising=False)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cifar, "MIRRORS", ())
    monkeypatch.setattr(mnist, "MIRRORS", ())
    sources.announce.cache_clear()
    return tmp_path


def write(folder, files, suffix=".gz"):
    """Put {name: content} into a folder, compressed or not."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / (name + suffix)).write_bytes(gzip.compress(content) if suffix else content)
    return folder


def record(label, red, green, blue):
    """One image of CIFAR10 in a single colour; its first pixel is black."""
    return bytes([label]) + b"".join(bytes([0]) + bytes([c]) * 1023 for c in (red, green, blue))


BATCHES = {
    **{
        f"data_batch_{i}.bin": record(i, i, 10 + i, 20 + i) + record(0, 9, 9, 9)
        for i in range(1, 6)
    },
    "test_batch.bin": record(7, 1, 2, 3),
}


# ---- FashionMNIST --------------------------------------------------------------------------------


@pytest.mark.parametrize("sub", mnist.FOLDERS)
@pytest.mark.parametrize("suffix", [".gz", ""])
def test_fashion_is_mnist_with_other_images(sub, suffix, alone, small_files):
    write(alone / sub, small_files, suffix)
    train, test = FashionMNIST.splits(alone)
    assert (len(train), len(test)) == (3, 2) and isinstance(train, MNIST)
    assert train.classes[train[1][1]] == "Shirt" and train[1][0].size == (28, 28)
    assert train.source == str(alone / sub) and "FashionMNIST" in repr(train)


def test_fashion_never_takes_the_files_of_mnist(alone, small_files, monkeypatch):
    """They have the same names."""
    write(alone / "data", small_files)
    write(alone / "data" / "mnist", small_files)
    monkeypatch.setenv("NORCH_DATA", str(alone / "data"))
    with pytest.raises(RuntimeError, match=r"\[FashionMNIST\] not found in .*data nor in .*cache"):
        FashionMNIST()


def test_fashion_is_downloaded_and_checked(alone, small_files, monkeypatch):
    served = write(alone / "mirror", small_files)
    monkeypatch.setattr(mnist, "MIRRORS", (served.as_uri() + "/",))
    with pytest.raises(RuntimeError, match=r"not found .* wrong checksum"):
        FashionMNIST(alone / "root")
    sums = {n: hashlib.md5((served / f"{n}.gz").read_bytes()).hexdigest() for n in small_files}
    monkeypatch.setattr(mnist, "MD5", sums)
    assert len(FashionMNIST(alone / "root")) == 3
    assert (alone / "root/FashionMNIST/raw/train-images-idx3-ubyte.gz").is_file()
    monkeypatch.setattr(mnist, "MIRRORS", ())
    assert len(FashionMNIST(alone / "root", train=False, download=False)) == 2


def test_corrupt_fashion_names_itself(alone, small_files):
    name = "train-labels-idx1-ubyte"
    write(alone / "fashion", {**small_files, name: small_files[name][:-1]})
    with pytest.raises(RuntimeError, match=r"\[FashionMNIST\] .*train-labels.* is corrupt"):
        FashionMNIST(alone)


# ---- CIFAR10 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sub", ["", "cifar-10-batches-bin", "cifar10-subset"])
@pytest.mark.parametrize("suffix", [".gz", ""])
def test_cifar_reads_colours_and_labels(sub, suffix, alone, monkeypatch, capsys):
    write(alone / "data" / sub, BATCHES, suffix)
    monkeypatch.setenv("NORCH_DATA", str(alone / "data"))
    train, test = CIFAR10(), CIFAR10(train=False)
    assert (len(train), len(test)) == (10, 1) and train.targets.tolist()[:4] == [1, 0, 2, 0]
    image, label = train[4]
    assert image.size == (32, 32) and image.mode == "RGB" and type(label) is int
    assert image.getpixel((0, 0)) == (0, 0, 0) and image.getpixel((5, 31)) == (3, 13, 23)
    assert label == 3 and train.classes[label] == "cat" and train.class_to_idx["cat"] == 3
    assert train.data.shape == (10, 32, 32, 3) and train.data.dtype == norch.uint8
    assert capsys.readouterr().err == ""


def test_cifar_with_transforms(alone):
    write(alone, BATCHES)
    data = CIFAR10(alone, transform=T.ToTensor(), target_transform=lambda label: -label)
    image, label = data[0]
    assert image.shape == (3, 32, 32) and image[1, 9, 9].item() == pytest.approx(11 / 255)
    assert label == -1 and "Number of datapoints: 10" in repr(data)


def test_a_part_of_cifar_is_announced(alone, capsys):
    write(alone, {name: BATCHES[name] for name in ("data_batch_1.bin", "data_batch_3.bin")})
    assert CIFAR10(alone, download=False).targets.tolist() == [1, 0, 3, 0]
    assert "has 2 of 5 training files: using 4 images" in capsys.readouterr().err
    with pytest.raises(RuntimeError, match=r"not found .* correct root, or pass download=True"):
        CIFAR10(alone, train=False, download=False)


def test_cifar_is_downloaded_checked_and_unpacked(alone, monkeypatch):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for name, content in {**BATCHES, "../outside.bin": b"no"}.items():
            info = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    (alone / "mirror").mkdir()
    (alone / "mirror" / cifar.ARCHIVE).write_bytes(file.getvalue())
    monkeypatch.setattr(cifar, "MIRRORS", ((alone / "mirror").as_uri() + "/",))
    with pytest.raises(RuntimeError, match="wrong checksum"):
        CIFAR10()
    monkeypatch.setattr(cifar, "MD5", hashlib.md5(file.getvalue()).hexdigest())
    assert len(CIFAR10()) == 10 and len(CIFAR10(train=False, download=False)) == 1
    found = {p.name for p in (alone / "cache").rglob("*") if p.is_file()}
    assert found == set(BATCHES)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BATCHES["test_batch.bin"][:-1], "3072 bytes are no whole number of images of 3073"),
        (b"", "0 bytes are no whole number"),
        (record(10, 0, 0, 0), "holds the label 10"),
    ],
)
def test_corrupt_cifar(content, message, alone):
    write(alone, {"test_batch.bin": content})
    with pytest.raises(RuntimeError, match=rf"\[CIFAR10\] .*test_batch.bin.*{message}"):
        CIFAR10(alone, train=False)


def test_a_cut_gzip_is_named(alone):
    write(alone, BATCHES)
    path = alone / "test_batch.bin.gz"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(RuntimeError, match=r"\[CIFAR10\] .*test_batch.bin.gz is corrupt"):
        CIFAR10(alone, train=False)


def test_a_folder_that_cannot_be_written(alone, monkeypatch):
    (alone / "file").write_text("not a folder")
    monkeypatch.setenv("NORCH_CACHE", str(alone / "file" / "cache"))
    with pytest.raises(RuntimeError, match=r"\[CIFAR10\] cannot write to .* set NORCH_CACHE"):
        CIFAR10()
