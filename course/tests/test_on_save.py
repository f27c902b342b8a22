"""`make watch`: what is checked after which save, and what comes next."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from norch_course import on_save
from norch_course.catalog import CourseError
from norch_course.commands import go_on
from norch_course.running import ENGINE

from .conftest import fill

PROGRAM = f"""import sys
from pathlib import Path

sys.path.insert(0, {str(ENGINE)!r})
from norch_course.commands import main

try:
    sys.exit(main(Path(__file__).resolve().parent.parent))
except KeyboardInterrupt:
    print("[course] stopped")
"""
RIGHT = {
    "1.1": "    return sum(numbers)\n",
    "1.2": "    return max(numbers) - min(numbers)\n",
}
Save = Callable[[], object]


@pytest.fixture
def told(toy, monkeypatch, capfd) -> Callable[..., list[str]]:
    """Watch the small course while it is edited, step by step; return the lines that are told."""
    monkeypatch.chdir(toy.root)
    program = toy.root / "course" / "exercises.py"
    program.parent.mkdir()
    program.write_text(PROGRAM, encoding="utf-8")

    def follow(*steps: Save) -> list[str]:
        sessions: list[on_save.Session] = []
        made = on_save.Session
        monkeypatch.setattr(
            on_save, "Session", lambda *words: sessions.append(made(*words)) or sessions[0]
        )

        def saves() -> Iterator[set[Path]]:
            yield set()
            for save in steps:
                paths = save()
                yield paths if isinstance(paths, set) else {toy.stub}
                if not isinstance(paths, set) and sessions[0].check:
                    sessions[0].check.wait()
                    yield set()

        assert on_save.watch(toy.course, go_on, saves()) == 0
        monkeypatch.setattr(on_save, "Session", made)
        return capfd.readouterr().out.splitlines()

    return follow


def about(lines: list[str]) -> list[str]:
    """The lines of a watch: what is checked, verdicts, and that it waits."""
    found = (re.fullmatch(r"(\d\.\d) .*? {5,}(\w+)(?: .*)?", line) for line in lines)
    return [
        f"{match[1]} {match[2]}" if match else line.split(";")[0]
        for match, line in zip(found, lines, strict=True)
        if match or line.startswith(("[", "All"))
    ]


WAITS = "[watch] waits for a save"


def test_a_right_answer_leads_on_to_the_next_until_all_are_done(toy, told) -> None:
    lines = about(
        told(lambda: toy.answer("1.1", RIGHT["1.1"]), lambda: toy.answer("1.2", RIGHT["1.2"]))
    )
    assert lines == [
        *("1.1 todo", WAITS, "[watch] checks 1.1", "1.1 ok"),
        *("1.2 todo", WAITS, "[watch] checks 1.2", "1.2 ok", "All 2 exercises are done."),
    ]


def test_a_wrong_answer_is_reported_and_nothing_else_comes(toy, told) -> None:
    lines = told(lambda: toy.answer("1.1", "    return 7\n"))
    assert about(lines) == ["1.1 todo", WAITS, "[watch] checks 1.1", "1.1 wrong", WAITS]
    assert "     input     total([])" in lines


def test_what_was_edited_is_checked_though_another_comes_now(toy, told) -> None:
    lines = about(told(lambda: toy.answer("1.2", RIGHT["1.2"])))
    assert lines == ["1.1 todo", WAITS, "[watch] checks 1.2", "1.2 ok", WAITS]


def test_two_exercises_saved_at_once_are_both_checked(toy, told) -> None:
    def both() -> None:
        toy.answer("1.1", RIGHT["1.1"])
        toy.answer("1.2", "    return 0\n")

    lines = about(told(both))
    assert lines[2:] == ["[watch] checks 1.1 1.2", "1.1 ok", "1.2 wrong", WAITS]


def test_a_save_without_an_edit_checks_what_comes_now(toy, told) -> None:
    lines = about(told(lambda: None))
    assert lines[2:] == ["[watch] checks 1.1", "1.1 todo", WAITS]


def test_other_files_are_nothing(toy, told) -> None:
    assert about(told(lambda: {toy.stub.with_name(".sums.py.swp"), toy.entries})) == [
        "1.1 todo",
        WAITS,
    ]


def test_a_file_that_vanishes_for_a_moment_is_waited_for(toy, told) -> None:
    text = toy.stub.read_text()

    def write() -> None:
        toy.stub.write_text(text)
        toy.answer("1.1", RIGHT["1.1"])

    lines = about(told(toy.stub.unlink, write))
    assert lines[2:] == ["[watch] checks 1.1", "1.1 ok", "1.2 todo", WAITS]


def test_a_file_through_a_link_is_the_learners(toy, told) -> None:
    elsewhere = toy.root / "kept" / "sums.py"
    elsewhere.parent.mkdir()
    toy.stub.rename(elsewhere)
    toy.stub.symlink_to(elsewhere)
    lines = about(told(lambda: toy.answer("1.1", RIGHT["1.1"])))
    assert lines[2:4] == ["[watch] checks 1.1", "1.1 ok"]


@pytest.mark.parametrize(
    ("text", "word"),
    [("    retrun (\n", "SyntaxError"), ("    # ex 1.1 end\n", "stands 2 times")],
)
def test_what_cannot_be_read_is_told_and_the_watch_goes_on(toy, told, text, word) -> None:
    lines = told(lambda: toy.answer("1.1", text), lambda: toy.stub.write_bytes(b"\xff\xfe\x00"))
    assert any(word in line for line in lines)
    assert any("no UTF-8" in line for line in lines)
    assert about(lines)[-1] == WAITS


def test_a_newer_save_ends_an_endless_loop(toy, told, tmp_path) -> None:
    started = tmp_path / "started"
    loop = f"""\
    import os
    with open({str(started)!r}, "w") as file:
        file.write(str(os.getpid()))
    while True:
        pass
"""

    def hang() -> set[Path]:
        toy.answer("1.1", loop)
        return {toy.stub}

    def mend() -> None:
        while not (started.exists() and started.read_text()):
            time.sleep(0.01)
        toy.answer("1.1", RIGHT["1.1"])

    lines = about(told(hang, mend))
    assert lines[2:6] == ["[watch] checks 1.1", "[course] stopped", "[watch] checks 1.1", "1.1 ok"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def test_make_sets_up_what_a_stage_runs_on_and_python_starts_anew(
    toy, told, monkeypatch, capfd
) -> None:
    class StartsAnewError(Exception):
        """Stands for another program in this process."""

    def missing(stage: object) -> None:
        raise CourseError("[course] not set up")

    def start_anew(program: str, words: list[str]) -> None:
        assert words[0] == program == sys.executable
        raise StartsAnewError

    monkeypatch.setattr(on_save, "need_packages", missing)
    monkeypatch.setattr(os, "execv", start_anew)
    (toy.root / "Makefile").write_text("check:\n\t@touch made\n%:\n\t@:\n")

    def twice() -> set[Path]:
        toy.answer("1.1", RIGHT["1.1"])
        return {toy.stub}

    with pytest.raises(StartsAnewError):
        told(twice, twice, lambda: None)
    assert (toy.root / "made").exists()
    said = capfd.readouterr().out
    assert said.count("[watch] checks") == said.count("a save meanwhile is not checked") == 1


def test_a_real_save_is_heard_and_ctrl_c_ends_the_watch(toy, told) -> None:
    program = [sys.executable, "-u", "course/exercises.py", "watch"]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as watch:
        lines = watch.stdout
        assert any("waits for a save" in line for line in iter(lines.readline, ""))
        fresh = toy.stub.with_name("fresh.py")
        shutil.copy(toy.stub, fresh)
        fill(fresh, "1.1", RIGHT["1.1"])
        fresh.replace(toy.stub)  # as editors write
        assert any(line.startswith("1.2 ") for line in iter(lines.readline, ""))
        assert any("waits for a save" in line for line in iter(lines.readline, ""))
        watch.send_signal(signal.SIGINT)
        assert "[watch] ended" in lines.read()
    assert watch.returncode == 0


def test_a_folder_that_was_removed_is_made_and_heard_again(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "workbook"

    def changes(place: Path, **options: object) -> Iterator[set[tuple[int, str]]]:
        yield {(1, str(place / "a.py"))}
        yield set()

    monkeypatch.setitem(sys.modules, "watchfiles", SimpleNamespace(watch=changes))
    heard = on_save.saves_in(folder)
    assert next(heard) == {folder / "a.py"}
    folder.rmdir()
    assert next(heard) == {folder / "a.py"} and folder.is_dir()
    assert next(heard) == set()


def test_without_watchfiles_it_is_said_what_to_do(toy, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(CourseError, match="make check after a save, or set up another Python"):
        on_save.watch(toy.course, go_on)
