"""Files of datasets that were cut, damaged or made to do harm: one error, which names the file.

Whatever is in a folder stays as it was, and no more memory is taken than the header asks for.
"""

import gzip
import os
import random
import socket
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from permissions import bound

from norchvision.datasets import CIFAR10, MNIST, FashionMNIST, cifar, mnist, sources

SIZE = 64 << 20


@pytest.fixture(scope="module")
def bomb():
    """62 kB that unpack to 64 MB; one behind the other they unpack to any size."""
    return gzip.compress(bytes(SIZE), 9)


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No data of the machine, no network: a cache of this test's own."""
    monkeypatch.delenv("NORCH_DATA", raising=False)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "cache"))
    for module in (sources, cifar, mnist):
        monkeypatch.setattr(module, "MIRRORS", ())
    sources.announce.cache_clear()
    return tmp_path


def cifar_batch():
    """Three images of CIFAR10."""
    return b"".join(bytes([label]) + bytes([label]) * 3072 for label in range(3))


KINDS = {  # a dataset, its folder below the root, the file to harm, whether that holds images
    "MNIST images": (MNIST, "", "train-images-idx3-ubyte"),
    "MNIST labels": (MNIST, "MNIST/raw", "train-labels-idx1-ubyte"),
    "FashionMNIST images": (FashionMNIST, "fashion", "train-images-idx3-ubyte"),
    "FashionMNIST labels": (FashionMNIST, "FashionMNIST/raw", "train-labels-idx1-ubyte"),
    "CIFAR10": (CIFAR10, "cifar-10-batches-bin", "data_batch_1.bin"),
}
IDX = [kind for kind in KINDS if "CIFAR" not in kind]


class Harmed:
    """A dataset in a folder, one file of which is harmed again and again."""

    def __init__(self, kind, root, files, suffix):
        self.make, below, name = KINDS[kind]
        self.root, folder = root, root / below
        folder.mkdir(parents=True, exist_ok=True)
        for other, content in files.items():
            if other != name:
                (folder / (other + suffix)).write_bytes(
                    gzip.compress(content) if suffix else content
                )
        self.path, self.whole = folder / (name + suffix), files[name]

    def put(self, content):
        """Write the file, and look at what is in the folder then."""
        self.path.write_bytes(content)
        self.before = self.folder()

    def folder(self):
        """What is in the folder; of what is no file, its kind."""
        paths = sorted(self.root.rglob("*"))
        return {p: p.read_bytes() if p.is_file() else p.lstat().st_mode for p in paths}

    def refused(self, message=".", download=True):
        """Ask for the dataset: it is refused, by name, and the folder stays as it was."""
        with pytest.raises(RuntimeError, match=message) as caught:
            self.make(self.root, download=download)
        assert str(self.path) in str(caught.value) and len(str(caught.value)) < 1000
        assert str(caught.value).startswith(f"[{self.make.__name__}] ")
        assert self.folder() == self.before


@pytest.fixture
def harm(alone, small_files):
    """Return a function that lays out a dataset to be harmed."""
    files = {**small_files, "data_batch_1.bin": cifar_batch()}

    def lay_out(kind, suffix=".gz", root=alone / "root"):
        names = {"CIFAR10": ["data_batch_1.bin"]}.get(kind, list(small_files))
        return Harmed(kind, root, {name: files[name] for name in names}, suffix)

    return lay_out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_cut_anywhere_is_refused(kind, suffix, harm):
    harmed = harm(kind, suffix)
    whole = gzip.compress(harmed.whole) if suffix else harmed.whole
    dice = random.Random(3)
    ends = {*range(40), *range(len(whole) - 12, len(whole)), len(whole) // 2}
    ends |= {dice.randrange(len(whole)) for _ in range(20)}
    for end in sorted(ends & set(range(len(whole)))):
        harmed.put(whole[:end])
        harmed.refused()
    harmed.put(whole)
    assert len(harmed.make(harmed.root, download=False)) == 3


LIES = {
    "no dimensions": (b"\0\0\x08\0", "0 dimensions"),
    "255 dimensions": (b"\0\0\x08\xff" + b"\0\0\0\1" * 255, "255 dimensions"),
    "a gigantic size": (b"\0\0\x08\3" + b"\xff" * 12, "needs 79228162458924105385300197375 bytes"),
    "a large size": (
        b"\0\0\x08\1" + struct.pack(">I", SIZE * 3),
        "needs 201326592 bytes, the file",
    ),
    "a negative size": (b"\0\0\x08\1" + struct.pack(">i", -1), "needs 4294967295 bytes"),
    "no images, gigantic ones": (b"\0\0\x08\3\0\0\0\0" + b"\xff" * 8, "."),
    "floats": (b"\0\0\x0d\1\0\0\0\1", "not an idx file of bytes"),
    "the bytes the other way": (b"\1\x08\0\0\1\0\0\0", "not an idx file of bytes"),
    "one dimension too many": (
        b"\0\0\x08\4" + struct.pack(">4I", 1, 3, 28, 28),
        r"\(1, 3, 28, 28\)",
    ),
    "one image less": (b"\0\0\x08\3" + struct.pack(">3I", 2, 28, 28), "(has more|2, 28, 28|are 3)"),
}


@pytest.mark.parametrize("kind", IDX)
@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_refused(kind, lie, harm):
    header, message = LIES[lie]
    for suffix in ("", ".gz"):
        harmed = harm(kind, suffix)
        content = header + harmed.whole[16:]
        harmed.put(gzip.compress(content) if suffix else content)
        harmed.refused(message)
        harmed.path.unlink()


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_refused_or_read(kind, harm):
    dice, harmed = random.Random(4), harm(kind)
    packed = gzip.compress(harmed.whole)
    for turn in range(80):
        content = bytearray(packed if turn % 2 else harmed.whole)
        for _ in range(1 + dice.randrange(3)):
            content[dice.randrange(len(content) if turn % 2 else 11)] ^= 1 << dice.randrange(8)
        harmed.put(bytes(content) if turn % 2 else gzip.compress(bytes(content)))
        try:
            assert len(harmed.make(harmed.root)) >= 0
        except RuntimeError as error:
            assert str(harmed.root) in str(error)
        assert harmed.folder() == harmed.before


@pytest.mark.parametrize("kind", KINDS)
def test_what_follows_a_gzip_file_is_no_part_of_it(kind, harm):
    harmed = harm(kind)
    for rubbish in (b"rubbish", b"\x1f\x8b", gzip.compress(b"x"), harmed.whole):
        harmed.put(gzip.compress(harmed.whole) + rubbish)
        harmed.refused()


@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_takes_no_more_memory_than_its_header_says(kind, harm, bomb):
    """In 4 MB lie 4 GB; what is taken is the size of a file of that dataset at most."""
    harmed = harm(kind)
    harmed.put(gzip.compress(harmed.whole[:16]) + bomb * 64)
    tracemalloc.start()
    try:
        harmed.refused()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < (100 << 20 if kind == "CIFAR10" else 20 << 20)


def test_a_download_that_is_a_bomb_takes_little_memory(monkeypatch, bomb):
    monkeypatch.setattr(sources, "LARGEST", SIZE)
    tracemalloc.start()
    try:
        said = sources._wrong_content("train-images-idx3-ubyte", bomb * 8)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert said == f"unpacks to more than {SIZE} bytes" and peak < 20 << 20


def sparse(path):
    """A file of a gibibyte that is nowhere on the disk."""
    with path.open("wb") as file:
        file.truncate(1 << 30)


def listening(path):
    """A socket; its name may have a hundred characters."""
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    "lay",
    [
        Path.mkdir,
        lambda path: path.symlink_to(path.name),
        lambda path: path.symlink_to("nowhere"),
        lambda path: path.symlink_to("/dev/zero"),
        os.mkfifo,
        listening,
        sparse,
        Path.touch,
    ],
    ids=["folder", "circle", "nowhere", "device", "pipe", "socket", "sparse", "empty"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_named_and_stays(lay, kind, harm):
    harmed = harm(kind)
    lay(harmed.path)
    harmed.folder = lambda: sorted((p, p.lstat().st_mode) for p in harmed.root.rglob("*"))
    harmed.before = harmed.folder()
    harmed.refused(download=True)
    harmed.refused(download=False)


def test_a_whole_file_elsewhere_goes_before_what_is_none(harm):
    """Some programs unpack a file into a folder of its name."""
    harmed = harm("MNIST images", "")
    harmed.path.mkdir()
    (harmed.root / "mnist").mkdir()
    (harmed.root / "mnist" / harmed.path.name).write_bytes(harmed.whole)
    assert len(MNIST(harmed.root, download=False)) == 3


READ = """
import sys
from norchvision import datasets
try:
    getattr(datasets, sys.argv[1])(sys.argv[2])
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("closed", ["file", "folder"])
def test_what_may_not_be_read_is_named(kind, closed, harm):
    harmed = harm(kind)
    harmed.put(gzip.compress(harmed.whole))
    place = harmed.path if closed == "file" else harmed.path.parent
    mode = place.stat().st_mode
    place.chmod(0)
    try:
        words = [*bound(), sys.executable, "-c", READ, harmed.make.__name__, str(harmed.root)]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=600)
    finally:
        place.chmod(mode)
    assert f"cannot read {harmed.path.parent}" in ended.stdout, ended
    assert "Permission denied" in ended.stdout and "Traceback" not in ended.stderr


def test_both_forms_of_a_file_of_cifar_are_read_once(harm):
    harmed = harm("CIFAR10")
    harmed.put(gzip.compress(harmed.whole))
    (harmed.root / "cifar-10-batches-bin" / "data_batch_1.bin").write_bytes(harmed.whole)
    assert len(CIFAR10(harmed.root, download=False)) == 3


def test_a_place_below_a_home_that_nobody_has(monkeypatch):
    for make in (MNIST, FashionMNIST, CIFAR10):
        with pytest.raises(RuntimeError, match="~nobody-has-this-name"):
            make("~nobody-has-this-name/data", download=False)
