"""Two makes at once in one folder: one sets up, the other waits for it, says so, and goes on.

No installer runs here: the set-up is a function of the test's own, under the real Makefile and the
real setup_env.py. It ends when the other make says that it waits, so that no time decides.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 600  # ends only a hang

SET_UP = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, "tools")
import setup_env

def set_up(arguments):
    with open("log", "a") as log:
        print("begin", os.getpid(), file=log, flush=True)
        end = time.monotonic() + 600
        while "waiting for it" not in "".join(p.read_text() for p in Path().glob("said-*")):
            assert time.monotonic() < end
            time.sleep(0.02)
        if Path("kill").exists():
            Path("kill").unlink()
            os.kill(os.getpid(), 9)
        time.sleep(0.1)  # the clock of a file system ticks in hundredths
        # an edit
        print("end", os.getpid(), file=log, flush=True)

setup_env.set_up = set_up
sys.argv = sys.argv[1:]
setup_env.main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the Makefile, in which nothing is set up; its Python starts SET_UP."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__*"))
    (tmp_path / "set_up.py").write_text(SET_UP)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    begin = f'[ "$1" = tools/setup_env.py ] && exec {sys.executable} set_up.py "$@"'
    other = '[ "$1" = course/exercises.py ] && { echo "went on"; exit; }'
    python.write_text(f'#!/bin/sh\n{begin}\n{other}\necho "(3, 11)"\n')
    python.chmod(0o755)
    (tmp_path / "tools" / "find_python.sh").write_text("echo .venv/bin/python\n")
    return tmp_path


def start(folder: Path, number: int) -> subprocess.Popen:
    """Begin a `make next`; what it says goes to a file."""
    with (folder / f"said-{number}").open("w") as said:
        return subprocess.Popen(
            ["make", "next"],
            cwd=folder,
            env={"PATH": os.environ["PATH"]},
            stdout=said,
            stderr=subprocess.STDOUT,
        )


def both(folder: Path) -> tuple[list[int], list[str], list[str]]:
    """Run two at once; return their exit codes, what they said, and what was set up."""
    makes = [start(folder, number) for number in (1, 2)]
    codes = [make.wait(SECONDS) for make in makes]
    said = [(folder / f"said-{number}").read_text() for number in (1, 2)]
    log = [line.split()[0] for line in (folder / "log").read_text().splitlines()]
    return codes, said, log


@pytest.mark.parametrize("stamp", ["", "/elsewhere\n"], ids=["no stamp", "of a moved folder"])
def test_the_second_make_waits_and_goes_on(folder: Path, stamp: str) -> None:
    if stamp:
        (folder / ".venv" / "ready-course").write_text(stamp)
    codes, said, log = both(folder)
    assert codes == [0, 0] and log == ["begin", "end"]
    assert all(text.endswith("went on\n") for text in said)
    waits = "[setup] another make is setting up this folder: waiting for it\n"
    assert sorted(text.partition("went on")[0] for text in said) == ["", waits]


def test_where_the_first_is_killed_the_second_sets_up(folder: Path) -> None:
    (folder / "kill").touch()
    codes, said, log = both(folder)
    assert sorted(code != 0 for code in codes) == [False, True]
    assert log == ["begin", "begin", "end"]
    assert sorted(text.endswith("went on\n") for text in said) == [False, True]
    assert subprocess.run(["make", "next"], cwd=folder, capture_output=True).returncode == 0
    assert (folder / "log").read_text().count("begin") == 2


def test_what_is_edited_during_a_set_up_is_set_up_again(folder: Path) -> None:
    (folder / "said-0").write_text("waiting for it")
    (folder / "set_up.py").write_text(SET_UP.replace("# an edit", "Path('pyproject.toml').touch()"))
    (folder / "log").touch()
    for times in (1, 2):
        subprocess.run(["make", "next"], cwd=folder, capture_output=True, check=True)
        assert (folder / "log").read_text().count("begin") == times


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import alone

    return alone


def test_stamps_are_fresh_where_they_are_of_this_folder_and_newer(
    alone, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, other, source = (tmp_path / name for name in ("one", "other", "source"))
    source.touch()
    assert not alone.is_fresh([one], [source])
    began = alone.now(tmp_path)
    alone.write_stamps([one, other], began)
    assert {path.stat().st_mtime_ns for path in (one, other)} == {began}
    assert alone.is_fresh([one, other], [source]) and alone.is_fresh([one], [])
    assert not alone.is_fresh([one, other], [source, tmp_path / "gone"])
    os.utime(source, ns=(began + 1, began + 1))
    assert not alone.is_fresh([one, other], [source])
    monkeypatch.chdir("/")
    assert not alone.is_fresh([one, other], [])


def test_a_lock_is_let_go_at_the_end_and_where_none_can_be_had(
    alone, tmp_path: Path, monkeypatch
) -> None:
    for _ in range(2):
        with alone.alone(tmp_path) as has_waited:
            assert not has_waited

    def no_locks(*_) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(alone.fcntl, "flock", no_locks)
    with alone.alone(tmp_path) as has_waited:
        assert not has_waited


STAMPED = (
    ("setup", {"ready-test", "ready-run", "ready-learn"}),
    ("mnist", {"ready-run", "ready-learn"}),
    ("check 2.1", {"ready-learn", "ready-course"}),
    ("lint", {"ready-lint"}),
)


@pytest.mark.parametrize(("goal", "true_then"), STAMPED)
def test_a_set_up_stamps_all_that_is_true_then(goal: str, true_then: set[str]) -> None:
    """Else `make mnist` after `make setup` would set up once more."""
    command = ["make", "-n", "-W", "pyproject.toml", *goal.split()]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = [{Path(word).name for word in words.split()} for words in STAMPS.findall(shown)]
    assert true_then in found


STAMPS = re.compile(r'--stamps="([^"]*)"')


@pytest.mark.slow
@pytest.mark.drill
def test_two_makes_in_a_copy_of_this_folder_both_train(data: Path, tmp_path: Path) -> None:
    """A copy is set up anew, and compiled: by one of them, while the other waits."""
    folder, names = tmp_path / "copy", {"NORCH_DATA": str(data)}
    left_out = shutil.ignore_patterns(".venv", "build", "_build", "runs", "workbook", "__pycache__")
    shutil.copytree(ROOT, folder, symlinks=True, ignore=left_out)
    shutil.copytree(sys.prefix, folder / ".venv", symlinks=True)
    makes = []
    for number in (1, 2):
        with (folder / f"said-{number}").open("w") as said:
            words = ["make", "mnist", "EPOCHS=2", "THREADS=1", f"OUT=runs/{number}"]
            makes += [
                subprocess.Popen(
                    words,
                    cwd=folder,
                    env={**os.environ, **names},
                    stdout=said,
                    stderr=subprocess.STDOUT,
                )
            ]
    codes = [make.wait(3 * SECONDS) for make in makes]
    said = [(folder / f"said-{number}").read_text() for number in (1, 2)]
    assert codes == [0, 0], said
    assert sorted("waiting for it" in text for text in said) == [False, True]
    assert sorted("installing norch" in text for text in said) == [False, True]
    runs = [folder / "runs" / str(number) for number in (1, 2)]
    assert all(
        path.read_bytes() == (runs[1] / path.name).read_bytes() for path in runs[0].iterdir()
    )
    idle = subprocess.run(["make", "-n", "mnist"], cwd=folder, capture_output=True, text=True)
    assert "setup_env.py" not in idle.stdout
