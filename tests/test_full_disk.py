"""A disk that takes no more is said in words by everything that writes a user's file.

Two ways to be full: /dev/full, and a file whose bytes do not reach the disk (fsync says so).
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import norch
from norch import distributed as dist, nn
from norch.accelerate import Accelerator
from norch.distributed import checkpoint
from norch.norchvision import utils
from norchvision.datasets import download

TOLD = r"^\[Errno 28\] \[save\] the disk is full: make room on it: '.*{}'$"


@pytest.fixture(autouse=True)
def leave_no_group() -> Iterator[None]:
    """End the process group that an Accelerator makes: the tests after these are to find none."""
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def drawn(folder: Path) -> None:
    x = norch.ones(2, requires_grad=True)
    norch.autograd.draw_graph((x * 2).sum()).save(folder / "a.svg")


def downloaded(folder: Path) -> None:
    source = folder / "source"
    source.write_bytes(b"content")
    mirrors = [f"file://{folder}/"]
    download.fetch("source", mirrors, folder / "fetched", lambda content: "")


# What writes, and the end of the name that its error tells.
WRITERS = {
    "save": (lambda f: norch.save({"x": 1}, f / "a.safetensors"), "/a.safetensors"),
    "save_state": (lambda f: Accelerator().save_state(f), "/state.safetensors"),
    "save_model": (lambda f: Accelerator().save_model(nn.Linear(1, 1), f), "/model.safetensors"),
    "draw_graph": (drawn, "/a.svg"),
    "fetch": (downloaded, "/fetched"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_does_not_reach_the_disk_is_said_in_words(name, tmp_path, monkeypatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write, end = WRITERS[name]
    monkeypatch.setattr(os, "fsync", full)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(OSError, match=TOLD.format(end)) as caught:
        write(tmp_path)
    assert caught.value.errno == errno.ENOSPC and caught.value.filename.endswith(end)
    assert sorted(os.listdir(tmp_path)) in (before, ["source"])  # no half file


@pytest.mark.parametrize("turn", [1, 2])
def test_a_sharded_checkpoint_names_the_file_that_found_no_room(
    turn, tmp_path, monkeypatch
) -> None:
    calls = []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == turn:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    Accelerator()  # makes a process group, unless there is one
    end = ("/rank-0.safetensors", "/metadata.json")[turn - 1]
    with pytest.raises(OSError, match=TOLD.format(end)):
        checkpoint.save({"model": nn.Linear(2, 1)}, checkpoint_id=tmp_path)
    assert not (tmp_path / "metadata.json").exists()


def test_an_image_says_it(tmp_path) -> None:
    pytest.importorskip("PIL", reason="images need Pillow")
    (tmp_path / "a.png").symlink_to("/dev/full")
    with pytest.raises(OSError, match=TOLD.format("a.png")):
        utils.save_image(norch.rand(3, 64, 64), tmp_path / "a.png")
