"""The learner's folder: written when it is needed, overwritten never, and not in git."""

import subprocess

import pytest

from norch_course import mine
from norch_course.catalog import CourseError
from norch_course.commands import main
from norch_course.workbook import exercise_at, stub_text

from .conftest import SOURCE, commit, fill

RIGHT = {
    "1.1": "    return sum(numbers)\n",
    "1.2": "    return max(numbers) - min(numbers)\n",
}


@pytest.fixture
def say(toy, capsys):
    """Run a command; return what it printed."""

    def run(*words):
        assert main(toy.root, list(words)) in (0, 1)
        return capsys.readouterr().out

    return run


# ---- Written when it is missing, and never over what is there ------------------------------------


@pytest.mark.parametrize(
    "words",
    [("next",), ("check",), ("check", "1"), ("check", "1.2"), ("hint", "1.2"), ("reset", "1.2")],
)
def test_a_missing_file_is_written_as_the_reference_gives_it(toy, say, words) -> None:
    toy.stub.unlink()
    toy.stub.parent.rmdir()
    text = say(*words)
    assert toy.stub.read_text() == stub_text(toy.course.find("1.2"))
    assert "old text" not in text and list(toy.stub.parent.iterdir()) == [toy.stub]


@pytest.mark.parametrize("words", [("progress",), ("solution", "1.1"), ("behaviour",)])
def test_what_needs_no_file_writes_none(toy, say, words) -> None:
    toy.stub.unlink()
    text = say(*words)
    assert not toy.stub.exists()
    assert words != ("progress",) or "0 of 2 (0 %)" in text


def test_a_check_writes_only_what_it_is_asked_for(toy, say) -> None:
    split(toy)
    toy.stub.unlink()
    say("check", "1.2")
    assert not toy.stub.exists() and toy.stub.with_name("spreads.py").exists()
    say("next")
    assert toy.stub.exists()


@pytest.mark.parametrize("text", ["mine", "marks", "frame", "empty", "bytes"])
def test_a_file_that_exists_is_never_overwritten(toy, say, text) -> None:
    toy.answer("1.2", RIGHT["1.2"])
    old = toy.stub.read_bytes()
    new = {
        "mine": old,
        "marks": old.replace(b"# ex 1.1 end", b""),
        "frame": old.replace(b"def total", b"def sum"),
        "empty": b"",
        "bytes": b"\xff\xfe\x00",
    }[text]
    toy.stub.write_bytes(new)
    for words in (["next"], ["check"], ["check", "1.1"], ["progress"], ["hint", "1.1"]):
        say(*words)
        assert toy.stub.read_bytes() == new
    assert list(toy.stub.parent.iterdir()) == [toy.stub]


def test_git_stays_clean(toy, say) -> None:
    toy.stub.unlink()
    (toy.root / ".gitignore").write_text("build/\nruns/\nworkbook/\n__pycache__/\n")
    commit(toy.root)
    for words in (["next"], ["check"], ["hint", "1.1"], ["reset", "1.2"], ["progress"]):
        say(*words)
    toy.answer("1.1", RIGHT["1.1"])
    say("reset", "1.1")
    assert len(list(toy.stub.parent.iterdir())) == 2  # the file, and its backup
    assert git(toy.root, "status", "--short") == ""


def git(root, *words) -> str:
    return subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def test_mine_takes_answers_from_the_workbook(toy, say, monkeypatch) -> None:
    taken = {}
    monkeypatch.setattr(mine, "run", lambda course, answers, *rest: taken.update(answers) or 0)
    toy.answer("1.2", RIGHT["1.2"])
    say("mine", "a.py")
    assert list(taken) == ["1.2"] and taken["1.2"].hole.body == RIGHT["1.2"]


# ---- The library changes under an answer ---------------------------------------------------------


def test_a_reference_that_changed_is_told_and_leaves_the_file_alone(toy, say) -> None:
    toy.answer("1.2", RIGHT["1.2"])
    toy.change(toy.source, "Add the numbers.", "Add all the numbers.\n\n    One by one.")
    mine = toy.stub.read_text()
    note = "sums.py:5 differs from the library outside the marks; that is not graded"
    text = say("check", "1.2")
    assert "ok\n" in text and note in text and "reset" not in text  # judged in the new reference
    mend = "make reset 1.1 writes the file anew, and keeps your text"
    for words in (["check", "1.1"], ["next"]):
        text = say(*words)
        assert "todo" in text and note in text and mend in text
    assert toy.stub.read_text() == mine
    say("reset", "1.1")  # the frame comes from the library now, and the other answer stays
    assert "One by one." in toy.stub.read_text()
    assert toy.stub.with_name("sums.py.before-1.1-1.backup").read_text() == mine
    assert "ok\n" in say("check", "1.2") and "note:" not in say("check")


def test_an_exercise_that_is_new_in_a_file_says_what_to_do(toy, say) -> None:
    old = toy.stub.read_text()
    toy.stub.write_text(old.replace("    # ex 1.2 begin\n", "").replace("    # ex 1.2 end\n", ""))
    fill(toy.stub, "1.1", RIGHT["1.1"])
    assert "the line '# ex 1.2 begin' is missing; put it back, or make reset 1.2" in say("check")
    say("reset", "1.2")
    assert "ok\n" in say("check", "1.1")


# ---- Answers in old places -----------------------------------------------------------------------


@pytest.fixture
def old(toy):
    """The place where the learner's file lay once, with the file in it; the workbook is empty."""
    place = toy.stage / "exercises" / "sums.py"
    toy.stub.rename(place)
    toy.stub.parent.rmdir()
    return place


def test_an_answer_in_the_old_place_is_moved_and_told_once(toy, say, old) -> None:
    fill(old, "1.2", RIGHT["1.2"])
    text = old.read_text() + "# my notes\n"
    old.write_text(text)
    first, *rest = say("check", "1.2").splitlines()
    assert first.startswith("[course] what you wrote in ") and first.endswith("01_toy/sums.py")
    assert "/exercises/sums.py is now in " in first and "ok" in rest[0]
    assert toy.stub.read_text() == text and not old.exists()
    assert "[course]" not in say("check")


@pytest.mark.parametrize("command", [("next",), ("progress",), ("hint", "1.2"), ("mine", "x.py")])
def test_every_command_of_a_learner_finds_it(toy, say, old, monkeypatch, command) -> None:
    monkeypatch.setattr(mine, "run", lambda *given: 0)
    fill(old, "1.2", RIGHT["1.2"])
    assert "is now in" in say(*command)
    assert toy.check("1.2").status == "ok"


def test_reset_keeps_what_lay_in_the_old_place(toy, say, old) -> None:
    fill(old, "1.2", RIGHT["1.2"])
    text = old.read_text()
    assert "your old text" in say("reset", "1.2")
    assert toy.stub.with_name("sums.py.before-1.2-1.backup").read_text() == text


def test_a_copy_without_an_answer_is_not_moved(toy, say, old) -> None:
    assert "[course]" not in say("check")
    assert not old.exists() and toy.stub.exists()  # it was what would be written
    old.write_text(toy.stub.read_text() + "# of an older library\n")
    assert "[course]" not in say("check")
    assert old.exists()


def test_an_answer_goes_into_a_hole_that_is_still_empty(toy, say, old) -> None:
    """The workbook was written before the answer came: a stash, for example, was popped."""
    toy.begin()
    toy.answer("1.1", "    return 1\n")
    fill(old, "1.2", RIGHT["1.2"])
    text = old.read_text()
    said = say("check", "1.2")
    assert "is now in" in said and "the old file is" in said and "ok\n" in said
    assert toy.check("1.1").status == "wrong"  # mine, as it was
    assert not old.exists() and toy.stub.with_name("sums.py.old-1.backup").read_text() == text


def test_two_answers_are_both_kept_and_the_workbooks_counts(toy, say, old) -> None:
    toy.begin()
    toy.answer("1.1", RIGHT["1.1"])
    fill(old, "1.1", "    return 7\n")
    mine, other = toy.stub.read_text(), old.read_text()
    said = say("check", "1.1")
    assert "for 1.1 is not in" in said and "; the old file is " in said and "ok\n" in said
    assert toy.stub.read_text() == mine
    assert toy.stub.with_name("sums.py.old-1.backup").read_text() == other


@pytest.mark.parametrize("damage", ["a mark", "all marks", "bytes"])
def test_what_is_broken_is_moved_too(toy, say, old, damage) -> None:
    fill(old, "1.2", RIGHT["1.2"])
    text = old.read_bytes()
    broken = {
        "a mark": text.replace(b"# ex 1.1 end", b""),
        "all marks": text.replace(b"# ex", b"# of"),
        "bytes": text.replace(b"max", b"\xff"),
    }[damage]
    old.write_bytes(broken)
    say("check")
    assert toy.stub.read_bytes() == broken and not old.exists()


def test_backups_are_moved_and_overwrite_none(toy, say, old) -> None:
    name = "sums.py.before-1.1-1.backup"
    for text in ("one", "two"):
        old.with_name(name).write_text(text)
        say("check")
    found = sorted(path.name for path in toy.stub.parent.glob("*.backup"))
    assert found == [name, f"{name}.old-1.backup"]
    assert [toy.stub.with_name(name).read_text() for name in found] == ["one", "two"]


def test_files_that_are_no_answers_stay(toy, say, old) -> None:
    notes = old.with_name("notes.py")
    notes.write_text("print('mine')\n")
    wrong = old.parent / "wrong" / "sums.py"
    wrong.write_text("    # ex 1.1 begin\n    return 1\n    # ex 1.1 end\n")
    copy = toy.stub.with_name("sums_first_try.py")
    copy.parent.mkdir()
    fill(old, "1.1", "    return 1\n")
    copy.write_text(old.read_text())
    before = {path: path.read_text() for path in (notes, wrong, copy)}
    say("check")
    assert before == {path: path.read_text() for path in before}


def split(toy) -> None:
    """Move 1.2 of the library into a file of its own."""
    head, _, spread = SOURCE.partition("\n\n\ndef spread")
    toy.source.write_text(head + "\n")
    spreads = f'"""One function."""\n\n\ndef spread{spread}'
    toy.source.with_name("spreads.py").write_text(spreads)
    toy.change(
        toy.tests,
        "from norch_toy.sums import spread, total",
        "from norch_toy.spreads import spread\nfrom norch_toy.sums import total",
    )


def test_a_file_of_the_library_that_was_split_gets_its_answers(toy, say, old) -> None:
    for id, body in RIGHT.items():
        fill(old, id, body)
    split(toy)
    said = say("check")
    assert "01_toy/spreads.py; the old file is " in said and said.count("ok\n") == 2
    assert not old.exists()


def test_a_file_of_the_library_that_changed_its_folder_takes_the_answer_along(toy, say) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    text = toy.stub.read_text()
    inner = toy.source.parent / "inner"
    inner.mkdir()
    (inner / "__init__.py").write_text("")
    toy.source.rename(inner / "sums.py")
    toy.change(toy.tests, "norch_toy.sums", "norch_toy.inner.sums")
    assert "01_toy/sums.py is now in " in say("check", "1.1")
    assert (toy.stub.parent / "inner" / "sums.py").read_text() == text
    assert not toy.stub.exists() and "ok\n" in say("check", "1.1")


# ---- An exercise that is not set any more --------------------------------------------------------


def drop(toy) -> None:
    """Take 1.2 out of the course, as an author would: its marks, its entry, its tests."""
    for mark in ("begin", "end"):
        toy.change(toy.source, f"    # ex 1.2 {mark}\n", "")
    text = toy.entries.read_text()
    head, second = text.split("\n[[exercise]]\n")[:2]
    note = '[dropped]\n"1.2" = "1.1 teaches it"\n'
    toy.entries.write_text(f"{head}{note}\n[[exercise]]\n{second}")
    toy.tests.write_text(toy.tests.read_text().partition('\n\n@exercise("1.2")')[0] + "\n")
    (toy.wrong / "1.2.py").unlink()


def test_an_answer_to_an_exercise_that_is_not_set_any_more_stays(toy, say, capsys) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    toy.answer("1.2", RIGHT["1.2"])
    mine = toy.stub.read_text()
    drop(toy)
    said = "exercise 1.2 is not set any more: 1.1 teaches it; what you wrote stays in workbook/01_"
    assert main(toy.root, ["check", "1.2"]) == 2 and said in capsys.readouterr().out
    text = say("check")
    assert text.count("ok\n") == 1 and "that is not graded" in text
    assert "1 of 1 (100 %)" in say("progress")
    assert toy.stub.read_text() == mine
    say("reset", "1.1")  # which writes the library's text there, and keeps the learner's
    assert toy.stub.with_name("sums.py.before-1.1-1.backup").read_text() == mine


def test_an_old_answer_to_it_is_moved_with_the_others(toy, say, old) -> None:
    fill(old, "1.2", RIGHT["1.2"])
    mine = old.read_text()
    drop(toy)
    say("check")
    kept = [*toy.stub.parent.iterdir(), *old.parent.glob("*.py")]
    assert mine in [path.read_text() for path in kept]


@pytest.mark.parametrize(
    ("place", "id"),
    [
        ("workbook/01_toy/sums.py:1", "1.1"),
        ("workbook/01_toy/sums.py:7", "1.1"),
        ("workbook/01_toy/sums.py:8", "1.1"),
        ("workbook/01_toy/../01_toy/sums.py:9", "1.2"),
        ("workbook/01_toy/sums.py:999", "1.2"),
    ],
)
def test_a_cursor_stands_in_an_exercise_or_before_one(toy, monkeypatch, place, id) -> None:
    monkeypatch.chdir(toy.root)
    assert exercise_at(toy.course.exercises.values(), place).id == id


def test_a_cursor_in_a_file_without_whole_marks_means_its_first_exercise(toy) -> None:
    toy.stub.write_text("nothing\n")
    assert exercise_at(toy.course.exercises.values(), f"{toy.stub}:1").id == "1.1"


@pytest.mark.parametrize("place", ["Makefile:3", "workbook/01_toy/sums.py:", "3"])
def test_a_cursor_elsewhere_is_told_where_exercises_are(toy, monkeypatch, place) -> None:
    monkeypatch.chdir(toy.root)
    with pytest.raises(CourseError, match=f"no exercise stands at {place}: a file of workbook/"):
        exercise_at(toy.course.exercises.values(), place)
