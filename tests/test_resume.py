"""Training that is killed, and goes on: `make mnist`, kill -9, `make mnist RESUME=1`.

Wherever the kill falls, in a step, in a save or in a figure, the run that goes on ends with the
files of one that nobody disturbed, to the last bit. Killed at random moments in `make drills`.
"""

import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harm import spoiled

import norch

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
WRITTEN = ["checkpoint.safetensors", "digits.svg", "loss.svg"]
SECONDS = 600  # ends only a hang
OPTIONS = ["--epochs", "3", "--batch-size", "64", "--threads", "1"]

# Runs a program, and kills it in one call of one function: MODULE NAME NUMBER PROGRAM ARGUMENT...
KILLED = """
import importlib, os, runpy, sys
module, name, number = *sys.argv[1:3], int(sys.argv[3])
module, _, kind = module.partition(":")
holder = importlib.import_module(module)
holder = getattr(holder, kind) if kind else holder
real, calls = getattr(holder, name), []

def deadly(*given, **named):
    calls.append(1)
    if len(calls) == number:
        os.kill(os.getpid(), 9)
    return real(*given, **named)

setattr(holder, name, deadly)
sys.argv = sys.argv[4:]
sys.path[0] = os.path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(data: Path, *words: object, before: tuple[str, ...] = ()) -> tuple[int, str]:
    """Run mnist.py, or what stands before it; return its exit code and what it said."""
    command = [sys.executable, *before, EXAMPLES / "mnist.py", *OPTIONS, *words]
    ended = subprocess.run(
        [*map(str, command)],
        env={**os.environ, "NORCH_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def undisturbed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """To each model the files of a run that nobody disturbs."""
    found = {}
    for model in ("mlp", "cnn"):
        out = tmp_path_factory.mktemp(model)
        code, said = run(data, "--model", model, "--out", out)
        assert code == 0, said
        found[model] = files(out)
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


POINTS = [  # 7 steps in each of 3 epochs; a save is a file that is written, flushed and renamed
    ("norch.optim:Adam", "step", 10),
    ("os", "fsync", 2),
    ("os", "replace", 4),
]
MORE = [
    ("norch.optim:Adam", "step", 1),
    ("norch.optim:Adam", "step", 7),
    ("norch.optim:Adam", "step", 8),
    ("norch.optim:Adam", "step", 21),
    ("os", "fsync", 1),
    ("os", "fsync", 3),
    ("os", "replace", 1),
    ("os", "replace", 2),
    ("os", "replace", 3),
    ("os", "replace", 5),
]
DRILL = [pytest.mark.slow, pytest.mark.drill]


@pytest.mark.parametrize(
    ("model", "point"),
    [
        *(("mlp", one) for one in POINTS),
        *(pytest.param("mlp", one, marks=DRILL) for one in MORE),
        *(pytest.param("cnn", one, marks=DRILL) for one in POINTS),
    ],
)
def test_a_run_that_was_killed_goes_on_to_the_same_bits(
    model: str, point: tuple, data: Path, tmp_path: Path, undisturbed: dict
) -> None:
    options = ("--model", model, "--out", tmp_path)
    deadly = ("-c", KILLED, *map(str, point))
    assert run(data, *options, before=deadly)[0] == -signal.SIGKILL
    code, said = run(data, *options, "--resume")
    assert code == 0, said
    assert files(tmp_path) == undisturbed[model]


def test_a_run_that_is_killed_again_and_again_comes_to_its_end(
    data: Path, tmp_path: Path, undisturbed: dict
) -> None:
    deadly = ("-c", KILLED, "os", "replace", "2")
    for _ in range(2):  # each brings one epoch to its end
        code, said = run(data, "--out", tmp_path, "--resume", before=deadly)
        assert code == -signal.SIGKILL, said
    code, said = run(data, "--out", tmp_path, "--resume")
    assert code == 0 and "resuming after epoch 2" in said
    assert files(tmp_path) == undisturbed["mlp"]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("turn", range(8))
def test_make_killed_at_any_moment_goes_on_with_resume(
    turn: int, data: Path, tmp_path: Path
) -> None:
    """As it is typed; the last two turns in two processes."""
    dice = random.Random(turn)
    many = ["PROCESSES=2"] if turn >= 6 else []
    words = ["make", "mnist", f"DATA={data}", "EPOCHS=40", "SEED=3", "THREADS=1", *many]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run([*words, f"OUT={whole}"], cwd=ROOT, check=True, capture_output=True)
    pipe = subprocess.PIPE
    for resume in ([], ["RESUME=1"]):
        with subprocess.Popen(
            [*words, f"OUT={broken}", *resume],
            cwd=ROOT,
            stdout=pipe,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        ) as process:
            for _ in range(dice.randrange(3, 18)):
                process.stdout.readline()
            time.sleep(dice.random() * 0.05)
            os.killpg(process.pid, signal.SIGKILL)
    last = subprocess.run(
        [*words, f"OUT={broken}", "RESUME=1"], cwd=ROOT, capture_output=True, text=True
    )
    assert last.returncode == 0, last.stdout + last.stderr
    assert files(broken) == files(whole)


# ---- what cannot be gone on with -----------------------------------------------------------------


class Refused(Exception):
    """What a parser raises here instead of leaving."""


class Parser:
    """A parser whose error can be caught."""

    def error(self, message: str) -> None:
        """Raise what would be said."""
        raise Refused(message)


@pytest.fixture
def mnist():
    """examples/mnist.py as a module of its own."""
    spec = importlib.util.spec_from_file_location("mnist_example", EXAMPLES / "mnist.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts(mnist, model: str = "mlp") -> tuple:
    """Return a model and its optimizer after one step."""
    model = mnist.MODELS[model]()
    optimizer = mnist.optim.Adam(model.parameters())
    model(norch.zeros(1, 28, 28)).sum().backward()
    optimizer.step()
    return model, optimizer


def test_a_damaged_checkpoint_is_told_with_what_to_do(mnist, tmp_path: Path, capsys) -> None:
    path, dice, refused = tmp_path / "checkpoint.safetensors", random.Random(6), 0
    mnist.save(path, *parts(mnist), [{"loss": 1.0, "accuracy": 0.5}])
    content = path.read_bytes()
    for _ in range(60):
        path.write_bytes(spoiled(content, dice))
        before = path.read_bytes()
        try:
            assert isinstance(mnist.resume(path, *parts(mnist), Parser()), list)
        except Refused as error:
            refused += 1
            assert str(error).startswith(f"cannot resume from {path}: ")
            assert "leave --resume (RESUME=1) out, which begins again" in str(error)
        assert path.read_bytes() == before
    assert refused > 30


STRANGE = [None, 1, "a", [], [1], {}, {"a": 1}, [{}], [{"loss": 1.0}], [[]], [None]]


@pytest.mark.parametrize("key", ["model", "optimizer", "history"])
@pytest.mark.parametrize("value", STRANGE, ids=str)
def test_a_checkpoint_of_another_program_is_told(mnist, tmp_path: Path, key: str, value) -> None:
    path = tmp_path / "checkpoint.safetensors"
    model, optimizer = parts(mnist)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "history": []}
    norch.save({**state, key: value}, path)
    if key == "history" and value in ([], {}):
        pytest.skip("that is nothing done yet")
    with pytest.raises(Refused, match=r"(?s)cannot resume from .*\(RESUME=1\)"):
        mnist.resume(path, *parts(mnist), Parser())


def test_a_second_run_is_kept_out_of_the_folder(mnist, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    holder = mnist.claim(out)
    code, said = run(data, "--out", out)
    assert code == 2 and said.count("\n") == 1 and os.listdir(out) == []
    assert f"another run writes to {out}: wait for its end, or name another folder" in said
    code, said = run(data, "--out", tmp_path / "other", "--epochs", 1)
    assert code == 0, said
    os.close(holder)
    assert run(data, "--out", out)[0] == 0


def test_a_folder_without_locks_is_used_as_it_is(mnist, tmp_path: Path, monkeypatch) -> None:
    def no_locks(*_) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(mnist.fcntl, "flock", no_locks)
    os.close(mnist.claim(tmp_path))
