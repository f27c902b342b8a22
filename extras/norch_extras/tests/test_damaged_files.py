"""Damaged files of every kind that `load` reads, by the thousand: read, or refused by their name.

Each kind is damaged in a process of its own, which may take little memory: a size that a file only
claims must not be believed. The same seed damages the same bytes; the files lie on the disk, where
a place in front of a file's beginning is an error of the system, and not of Python's BytesIO.
"""

import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections import OrderedDict
from pathlib import Path

import pytest
from torch_writer import Storage, older_file, tensor, zip_file

import norch_autograd as norch
import norch_ddp as dist
import norch_extras.torch_files  # noqa: F401 - from here on `load` reads its files
from norch_ddp.model_parallel import checkpoint
from norch_extras.accelerate import Accelerator
from norch_nn import Linear, load, save
from norch_nn.optim import Adam
from norch_nn.serialization.files import LoadError

ROOM = 512 << 20  # bytes that a process may take beside those it has when it begins
EXTREMES = ("00", "01", "7f", "80", "ff")  # what each byte of an overwritten number is
ONE = tensor(Storage("FloatStorage", "0", 1), (1,), (1,))
NESTED = OrderedDict(a=ONE, b=[1, 2.5, "text", (None, True)], c={"x": b"bytes"}, d={1, 2})


@pytest.fixture(autouse=True)
def leave_no_group():
    """End the process group that an Accelerator makes: the tests after these are to find none."""
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def saved(value):
    with tempfile.TemporaryDirectory() as folder:
        save(value, f"{folder}/a")
        return Path(folder, "a").read_bytes()


def plain():
    from safetensors import TensorSpec, serialize

    memory = norch.ones(6).array
    spec = TensorSpec(dtype="float32", shape=[2, 3], data_ptr=memory.data_ptr, data_len=24)
    return bytes(serialize({"w": spec}, {"format": "pt"}))


def nested():
    x = norch.arange(12)
    parts = {"x": x, "view": x[::2], "list": [1, (2.5, None)], "int16": x.short(), 7: True}
    return saved(parts)


KINDS = {
    "safetensors": plain,
    "structure": nested,
    "zip": lambda: zip_file(NESTED, {"0": b"abcd"}),
    "older": lambda: older_file(NESTED, {"0": (1, b"abcd")}),
}


def damaged(data, dice):
    """Return a file's bytes, harmed in one of many ways, or in several."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        place, size = dice.randrange(len(data) + 1), dice.choice((1, 2, 4, 8))
        kind = dice.randrange(7)
        if kind == 0:
            del data[place:]
        elif kind == 1:
            data[place : place + 1] = bytes([dice.randrange(256)])
        elif kind == 2:
            data[place : place + size] = bytes.fromhex(dice.choice(EXTREMES)) * size
        elif kind == 3:
            data[place:place] = dice.randbytes(size)
        elif kind == 4:
            del data[place : place + size]
        elif kind == 5:
            data[place : place + 40] = dice.randbytes(40)
        else:
            data += data[place:]
    return bytes(data)


def swept(data):
    """Yield the bytes with each number, wherever it may be, as small and as large as can be."""
    for place in range(len(data)):
        for size, extreme in ((4, "ff"), (8, "ff"), (4, "7f"), (2, "00"), (8, "80")):
            number = bytes.fromhex(extreme) * size
            yield data[:place] + number + data[place + size :]


def try_all(files, path, read, others=()):
    """Write and read each file; return how many were read and how many refused, by its name.

    `others` are errors beside LoadError that may be raised, if they name the file too.
    """
    counts = {"read": 0, "refused": 0}
    for number, data in enumerate(files):
        path.write_bytes(data)
        try:
            read()
            counts["read"] += 1
        except (LoadError, *others) as error:
            told = "".join([str(error), *getattr(error, "__notes__", [])])
            assert str(path.parent) in told and len(told) < 900, f"file {number}: {told}"
            counts["refused"] += 1
        except BaseException as error:
            raise AssertionError(f"file {number}: {error!r}") from error
    return counts


def limit_memory():
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))


def run(kind):
    """What the process of its own does; its file lies in memory, and is a file all the same."""
    path = Path(f"/proc/self/fd/{os.memfd_create('x')}")
    data, dice = KINDS[kind](), random.Random(1)
    path.write_bytes(data)
    load(path)  # whole, and what is slow to import is there
    limit_memory()
    mapped = itertools.cycle((False, True))
    many = itertools.chain(swept(data), (damaged(data, dice) for _ in range(1500)))
    counts = try_all(many, path, lambda: load(path, map_location="cpu", mmap=next(mapped)))
    print(json.dumps(counts))


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused_by_name(kind):
    command = [sys.executable, __file__, kind]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]
    counts = json.loads(ended.stdout)
    assert counts["read"] > 100 and counts["refused"] > 1500


def parts_of_a_run():
    """Return a model and its optimizer after a step."""
    norch.manual_seed(0)
    model = Linear(3, 2)
    optimizer = Adam(model.parameters(), lr=0.1)
    model(norch.ones(1, 3)).sum().backward()
    optimizer.step()
    return model, optimizer


def harmed_text(data, dice):
    """Return a file with other letters here and there, so that most of them are JSON as before."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2))):
        data[dice.randrange(len(data))] = dice.choice(b'0123456789abcxyz"{}[],: -')
    return bytes(data)


def test_damaged_states_of_a_run_are_refused_by_name(tmp_path):
    accelerator, dice = Accelerator(), random.Random(1)
    accelerator.prepare(*parts_of_a_run())
    accelerator.save_state(tmp_path)
    path = tmp_path / "state.safetensors"
    data = path.read_bytes()
    length = 8 + int.from_bytes(data[:8], "little")
    harmed = (harmed_text(data[:length], dice) + data[length:] for _ in range(600))
    many = itertools.chain((damaged(data, dice) for _ in range(150)), harmed)
    counts = try_all(
        many, path, lambda: accelerator.load_state(tmp_path), (ValueError, RuntimeError)
    )
    assert counts["refused"] > 150


def test_damaged_sharded_checkpoints_are_refused_by_name(tmp_path):
    Accelerator()  # makes a process group, unless there is one
    folder = tmp_path / "saved"
    model, optimizer = parts_of_a_run()
    state, dice = {"model": model, "adam": optimizer, "names": ("a", [1])}, random.Random(1)
    checkpoint.save(state, checkpoint_id=folder)
    for name in ("metadata.json", "rank-0.safetensors"):
        path = folder / name
        data = path.read_bytes()
        harmed = (harmed_text(data, dice) for _ in range(250))
        many = itertools.chain((damaged(data, dice) for _ in range(150)), harmed)
        others = (KeyError, ValueError, FileNotFoundError)  # a file or tensor of another name
        counts = try_all(
            many, path, lambda: checkpoint.load(dict(state), checkpoint_id=folder), others
        )
        assert counts["refused"] > 150
        path.write_bytes(data)


if __name__ == "__main__":
    run(*sys.argv[1:])
