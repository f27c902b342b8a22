"""Drills: disks that are full, homes that cannot be written, files cut short, processes that die.

Each does one kind of harm to norch at work in a process of its own, and asks for a sentence in
place of a crash, a hang or a half file. The long ones are `make drills`.
"""

import faulthandler
import gzip
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harm import spoiled
from permissions import bound
from processes import gone

import norch
from norch.norchvision import datasets
from norch.utils.data import DataLoader, Dataset

SECONDS = 600  # ends only a hang


def python(text: str, *words: object, **names: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", text, *map(str, words)],
        env={**os.environ, **names},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


FULL = """
import os, resource, sys
import norch
path = sys.argv[1] + "/c.st"
norch.save({"old": norch.ones(3)}, path)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    norch.save({"new": norch.ones(100_000)}, path)
except OSError as error:
    told = "[save] the file would be larger than may be written here" in str(error)
    print(os.listdir(sys.argv[1]), list(norch.load(path)), error.filename == path, told)
"""


def test_a_file_that_may_not_grow_leaves_the_old_one(tmp_path: Path) -> None:
    ended = python(FULL, tmp_path)
    assert ended.stdout == "['c.st'] ['old'] True True\n", ended.stderr


HOMELESS = """
import norch
from norch import nn
model = nn.Linear(4, 2)
model(norch.ones(3, 4)).sum().backward()
x = norch.ones(3, device="cuda-sim")
print((x + x).tolist(), tuple(model.weight.grad.shape))
"""


@pytest.mark.long
def test_a_home_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "home").touch()  # a file: not even root can write in it
    (tmp_path / "scratch").mkdir()
    kept = dict.fromkeys(("XDG_CACHE_HOME", "NORCH_CACHE", "MPLCONFIGDIR"), "")
    home, scratch = str(tmp_path / "home"), str(tmp_path / "scratch")
    ended = python(HOMELESS, HOME=home, TMPDIR=scratch, **kept)
    assert ended.stdout == "[2.0, 2.0, 2.0] (2, 4)\n", ended.stderr
    assert "Traceback" not in ended.stderr


NO_USER = """
import os, pwd, sys
from pathlib import Path

def nobody(number):
    raise KeyError("uid not found")

def mkdir(path, *given, real=Path.mkdir, **named):
    if str(path).startswith("/~"):  # root alone could make it
        raise PermissionError(13, "Permission denied", str(path))
    return real(path, *given, **named)

if os.environ["NAMELESS"]:  # as in a container that runs as a number
    pwd.getpwuid, Path.mkdir = nobody, mkdir
import norch
from norch.norchvision import datasets
from norch_cuda.runtime.library_cache import cache_directory
from norchvision.datasets.sources import cache_folder

print(len(datasets.MNIST(download=False)), cache_folder())
for make in (datasets.MNIST, datasets.CIFAR10):
    try:
        make()
    except RuntimeError as error:
        print(error)
folder = cache_directory("cuda-sim")
print(folder.is_dir(), folder.is_relative_to(os.environ["TMPDIR"]), os.listdir())
"""


@pytest.mark.parametrize(
    ("home", "caches"),
    [
        (None, None),
        ("file", None),
        ("read-only", None),
        ("/dev/null", None),
        ("read-only", "relative"),
        ("free", "read-only"),
        ("free", "file"),
    ],
)
def test_a_home_that_is_none_is_told_and_left_alone(
    home: str | None, caches: str | None, tmp_path: Path
) -> None:
    """Where nothing can be kept, a download says so, and the simulator goes on elsewhere."""
    for name in ("free", "read-only", "scratch", "here"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "read-only").chmod(0o555)
    unset = {"HOME", "NORCH_DATA", "NORCH_CACHE", "XDG_CACHE_HOME"}
    names = {name: value for name, value in os.environ.items() if name not in unset}
    names |= {"TMPDIR": str(tmp_path / "scratch"), "NAMELESS": "1" if home is None else ""}
    if home:
        names["HOME"] = str(tmp_path / home)
    if caches:
        names["XDG_CACHE_HOME"] = caches if caches == "relative" else str(tmp_path / caches)
    ended = subprocess.run(
        [*bound(), sys.executable, "-c", NO_USER],
        cwd=tmp_path / "here",
        env=names,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    first, *told, last = ended.stdout.splitlines()
    assert first.startswith("1500 /") and last == "True True []", ended.stdout
    assert len(told) == 2 and all("cannot write to" in line for line in told), told
    assert all("NORCH_CACHE" in line for line in told)
    assert "kernels are built in" in ended.stderr and not list((tmp_path / "free").iterdir())


@pytest.mark.parametrize("packed", [True, False])
def test_spoiled_data_is_refused_by_name_or_read(data: Path, tmp_path: Path, packed: bool) -> None:
    names = [path.name for path in sorted(data.glob("t10k-*"))]
    dice, refused = random.Random(1), 0
    for turn in range(60):
        chosen = names[turn % 2]
        for name in names:
            content = gzip.decompress((data / name).read_bytes())
            content = spoiled(content, dice) if name == chosen and not packed else content
            content = gzip.compress(content, 1)
            content = spoiled(content, dice) if name == chosen and packed else content
            (tmp_path / name).write_bytes(content)
        try:
            digits = datasets.MNIST(tmp_path, train=False)
            assert len(digits) >= 0
        except RuntimeError as error:
            refused += 1
            assert chosen[:4] in str(error) and str(tmp_path) in str(error), error
    assert refused > 30


class Dying(Dataset):
    """Numbers, at one of which the worker ends."""

    def __init__(self, how: str) -> None:
        self.how = how

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == 5:
            if self.how == "exit":
                os._exit(0)
            faulthandler.disable()  # pytest's would show a planned end as a crash
            os.kill(os.getpid(), getattr(signal, self.how))
        return index


@pytest.mark.parametrize("how", ["exit", "SIGKILL", "SIGTERM", "SIGSEGV"])
def test_a_worker_that_dies_is_an_error_in_the_loop(how: str) -> None:
    began = time.monotonic()
    with pytest.raises(RuntimeError, match="worker"):
        list(DataLoader(Dying(how), num_workers=2, multiprocessing_context="fork"))
    assert time.monotonic() - began < 300


class Hanging(Dataset):
    """Numbers, at one of which the worker waits for ever and hears no SIGTERM."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == 5:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        return index


def test_a_worker_that_hangs_is_an_error_in_the_loop() -> None:
    began = time.monotonic()
    batches = DataLoader(Hanging(), num_workers=2, timeout=2, multiprocessing_context="fork")
    with pytest.raises(RuntimeError, match=r"worker 1 \(pid \d+\) did not answer in 2 seconds"):
        list(batches)
    assert time.monotonic() - began < 300
    assert multiprocessing.active_children() == []


HANGING = """
import os, signal, sys, time
from norch.utils.data import DataLoader, Dataset

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it

class Hanging(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print(os.getpid(), flush=True)
            time.sleep(600)
        return index

list(DataLoader(Hanging(), num_workers=2, multiprocessing_context="fork"))
"""


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_a_worker_that_hangs_does_not_outlive_the_program(how: str, tmp_path: Path) -> None:
    """Ctrl-C reaches the program and its workers; a kill the program alone."""
    program = tmp_path / "hanging.py"
    program.write_text(HANGING)
    words = [sys.executable, str(program)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, text=True, start_new_session=True) as process:
        worker = int(process.stdout.readline())
        if how == "SIGINT":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.kill()
        try:
            process.wait(timeout=SECONDS)
        finally:
            process.kill()  # leaving the block waits without a limit
    assert process.returncode == -getattr(signal, how)
    assert gone([worker]), "the worker lives on"


DEAF = """
import os, signal, time
import norch.distributed as dist
dist.init_process_group()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.drill
def test_ranks_that_do_not_hear_are_ended(tmp_path: Path) -> None:
    program = tmp_path / "deaf.py"
    program.write_text(DEAF)
    words = [sys.executable, "-m", "norch.distributed.run", "--nproc_per_node", "2", str(program)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    ranks = [int(process.stdout.readline()) for _ in range(2)]
    process.terminate()
    began = time.monotonic()
    process.communicate(timeout=SECONDS)
    assert 5 < time.monotonic() - began < 300
    assert not any(Path(f"/proc/{rank}").exists() for rank in ranks)


STEADY = """
import os
import norch, norch.distributed as dist
dist.init_process_group()
print(os.getpid(), flush=True)
while True:
    dist.all_reduce(norch.ones(1000))
"""


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("turn", range(15))
def test_a_rank_killed_at_any_moment_ends_the_launch(tmp_path: Path, turn: int) -> None:
    dice = random.Random(turn)
    program = tmp_path / "steady.py"
    program.write_text(STEADY)
    words = [sys.executable, "-m", "norch.distributed.run", "--nproc_per_node", "3", str(program)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True)
    ranks = [int(process.stdout.readline()) for _ in range(3)]
    time.sleep(dice.random())
    number = dice.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV])
    os.kill(dice.choice(ranks), number)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + number, said
    assert f"(signal {int(number)})" in said


@pytest.mark.slow
@pytest.mark.drill
def test_spoiled_checkpoints_are_refused_or_whole(tmp_path: Path) -> None:
    path, dice = tmp_path / "c.st", random.Random(2)
    norch.save({"w": norch.randn(64, 8), "step": 3, "name": "a"}, path)
    content = path.read_bytes()
    for _ in range(5000):
        path.write_bytes(spoiled(content, dice))
        try:
            norch.load(path)
        except (RuntimeError, ValueError, EOFError) as error:
            assert str(path) in str(error), error
