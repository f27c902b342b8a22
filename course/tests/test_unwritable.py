"""A workbook that cannot be written, read or held by its disk: one line, and nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from permissions import bound

from norch_course import commands, moving
from norch_course.grading import note, read_note

COURSE = Path(__file__).parents[1]
RUN = "import sys; from pathlib import Path; from norch_course.commands import main\n"
RUN += "sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))"
COMMANDS = [["check", "1.1"], ["check"], ["next"], ["hint", "1.1"], ["reset", "1.1"]]


def run(toy, words, **variables):
    """Run a command as a user whom permissions bind."""
    environment = {**os.environ, "PYTHONPATH": str(COURSE), **variables}
    for name in [name for name, value in variables.items() if value is None]:
        del environment[name]
    command = [*bound(), sys.executable, "-c", RUN, str(toy.root), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def files(folder):
    """What a folder holds: the bytes of a file, the kind of what is none."""
    found = sorted(folder.rglob("*"))
    return {p: p.read_bytes() if p.is_file() else p.lstat().st_mode for p in found}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    "harm", ["read-only", "a file", "an unreadable file", "a folder", "a pipe"]
)
def test_a_command_says_what_it_cannot_use(toy, words, harm) -> None:
    workbook = toy.root / "workbook"
    if harm in ("read-only", "a file"):
        toy.stub.unlink()
        toy.stub.parent.rmdir()
        workbook.rmdir()
        workbook.mkdir() if harm == "read-only" else workbook.touch()
        workbook.chmod(0o555)
    elif harm == "an unreadable file":
        toy.stub.chmod(0)
    else:
        toy.stub.unlink()
        toy.stub.mkdir() if harm == "a folder" else os.mkfifo(toy.stub)
    ended = run(toy, words)
    toy.stub.chmod(0o644) if harm == "an unreadable file" else None
    assert ended.stderr == "" and "Traceback" not in ended.stdout
    if words[0] != "hint" or harm in ("read-only", "a file"):
        assert "[course] " in ended.stdout and str(workbook) in ended.stdout
        assert ended.returncode in (1, 2) or words == ["next"]


@pytest.mark.parametrize("words", [["check", "1.2"], ["hint", "1.2"], ["next"], ["progress"]])
@pytest.mark.parametrize("cache", ["build", "runs"])
def test_a_cache_that_cannot_be_written_is_done_without(toy, words, cache) -> None:
    (toy.root / cache).mkdir()
    (toy.root / cache).chmod(0o555)
    ended = run(toy, words)
    assert ended.stderr == "" and ended.stdout.count("\n") > 1
    assert ("[course] " in ended.stdout) == (words == ["progress"] and cache == "runs")


@pytest.mark.parametrize("home", [None, "", "/dev/null", "relative", "/nowhere"])
def test_no_home_is_no_harm(toy, home) -> None:
    ended = run(toy, ["check", "1.2"], HOME=home, XDG_CACHE_HOME=None, NORCH_CACHE=None)
    assert ended.stderr == "" and "1.2  Spread" in ended.stdout
    assert not (Path.cwd() / "relative").exists()


@pytest.fixture
def full_disk(monkeypatch):
    """Let every text that is written from now on meet the end of the disk in its middle."""

    def write(path, text, **options):
        with path.open("w", encoding="utf-8") as file:
            file.write(text[:50])
        raise OSError(28, "No space left on device", str(path))

    return lambda: monkeypatch.setattr(Path, "write_text", write)


def test_a_full_disk_leaves_the_answers(toy, full_disk, capsys) -> None:
    toy.answer("1.1", "    return 1\n")
    toy.answer("1.2", "    return 2\n")
    before = files(toy.root / "workbook")
    full_disk()
    assert commands.main(toy.root, ["reset", "1.1"]) == 2
    assert f"[course] {toy.stub} cannot be used: No space left on device" in capsys.readouterr().out
    after = files(toy.root / "workbook")
    assert after.items() >= before.items()
    assert sorted(path.name for path in after.keys() - before.keys()) == [
        "sums.py.before-1.1-1.backup"
    ]


def test_a_full_disk_writes_no_half_file(toy, full_disk) -> None:
    toy.stub.unlink()
    full_disk()
    assert commands.main(toy.root, ["check", "1.1"]) == 2
    assert files(toy.stub.parent) == {}
    note(toy.root / "build" / "note.json", {"a": 1})
    assert read_note(toy.root / "build" / "note.json") == {}
    assert files(toy.root / "build") == {}


def test_an_answer_that_moves_meets_a_full_disk(toy, full_disk) -> None:
    toy.answer("1.1", "    return 1\n")
    exercise = toy.course.find("1.2")
    old = toy.stub.read_text(encoding="utf-8")
    start, end = old.index("# ex 1.2 begin\n") + 15, old.index("# ex 1.2 end")
    text = old[:start] + "    return 5\n" + old[end:]
    full_disk()
    with pytest.raises(OSError, match="No space left"):
        moving._fill(exercise, text)
    assert toy.stub.read_text(encoding="utf-8") == old
