"""`make grade`: a class becomes a table, whatever the submissions look like."""

import csv
import errno
import shutil
import threading
import time

import pytest

from norch_course import certificate, machine, marking, running, workbook
from norch_course.commands import main

RIGHT = "    return max(numbers) - min(numbers)  # mine\n"


def without_mark(row: list[str]) -> list[str]:
    """A row but for the mark of the answers."""
    return [*row[:4], *row[5:]]


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_class_becomes_a_table(toy, tmp_path, capsys) -> None:
    toy.answer("1.2", RIGHT)
    folder, out = tmp_path / "submissions", tmp_path / "grades.csv"
    inside = toy.stub.relative_to(toy.root)
    for name, place in (("ada", inside), ("ben", inside.relative_to("workbook"))):
        (folder / name / place).parent.mkdir(parents=True)
        shutil.copy(toy.stub, folder / name / place)
    (folder / "cyd").mkdir()
    broken = (folder / "ben" / inside.relative_to("workbook")).read_text(encoding="utf-8")
    broken = broken.replace("# ex 1.1 begin", "")
    (folder / "ben" / inside.relative_to("workbook")).write_text(broken, encoding="utf-8")
    assert main(toy.root, ["grade", str(folder), str(out)]) == 0
    assert "ada: 1 of 2" in capsys.readouterr().out
    minutes = str(toy.course.find("1.2").minutes)
    mine = certificate.mark(dict(certificate.answers_in(toy.course)))  # of 1.2 alone
    assert rows(out) == [
        ["learner", "done", "minutes", "not judged", "answers", "1.1", "1.2"],
        ["ada", "1", minutes, "0", mine, "todo", "ok"],
        ["ben", "1", minutes, "0", mine, "unreadable", "ok"],
        ["cyd", "0", "0", "0", "", "missing", "missing"],
    ]


@pytest.mark.parametrize(("name", "words"), [("nowhere", "is no folder"), ("empty", "no folders")])
def test_a_folder_without_submissions_is_refused(toy, tmp_path, capsys, name, words) -> None:
    (tmp_path / "empty").mkdir()
    assert main(toy.root, ["grade", str(tmp_path / name), str(tmp_path / "out.csv")]) == 2
    assert words in capsys.readouterr().out
    assert not (tmp_path / "out.csv").exists()


@pytest.fixture
def room(toy, tmp_path, capsys):
    return Desk(toy, tmp_path / "submissions", tmp_path / "grades.csv", capsys)


class Desk:
    """A teacher's desk: submissions come in, a table goes out."""

    def __init__(self, toy, folder, out, capsys) -> None:
        self.toy, self.folder, self.out, self.capsys = toy, folder, out, capsys
        self.inside = toy.stub.relative_to(toy.root)

    def hand_in(self, name, data=None, place=None):
        """Hand in the learner's file, or other bytes, at the usual place or another."""
        path = self.folder / name / (place or self.inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.toy.stub.read_bytes() if data is None else data)

    def grade(self):
        """Return each learner's words for 1.1 and 1.2, and what was printed."""
        assert main(self.toy.root, ["grade", str(self.folder), str(self.out)]) == 0
        return {row[0]: row[5:] for row in rows(self.out)[1:]}, self.capsys.readouterr().out


def test_what_archives_leave_behind_is_passed_over(toy, room) -> None:
    toy.answer("1.2", RIGHT)
    room.hand_in("ada", place="norch-main" / room.inside)
    room.hand_in("ada", b"\x00\x05\x16", place="__MACOSX" / room.inside)
    room.hand_in("__MACOSX")
    room.hand_in(".git")
    (room.folder / "ben.zip").write_bytes(b"PK")
    (room.folder / "notes.txt").write_text("mine")
    table, printed = room.grade()
    assert table == {"ada": ["todo", "ok"]}
    assert "ben.zip: passed over, because it is packed" in printed


@pytest.mark.parametrize(
    "place",
    [
        "workbook/01_toy/sums.py",
        "01_toy/sums.py",
        "ada-1/workbook/01_toy/sums.py",
        "ada-1/01_toy/sums.py",
        "stages/01_toy/exercises/sums.py",
        "01_toy/exercises/sums.py",
        "norch-main/stages/01_toy/exercises/sums.py",
        "stages-1/01_toy/exercises/sums.py",
    ],
)
def test_an_answer_is_found_in_the_workbook_and_where_it_lay_once(toy, room, place) -> None:
    toy.answer("1.2", RIGHT)
    room.hand_in("ada", place=place)
    assert room.grade()[0] == {"ada": ["todo", "ok"]}


@pytest.mark.parametrize("around", [".", "stages", "norch-main/stages"])
def test_the_library_in_a_clone_is_nobodys_answer(toy, room, around) -> None:
    """The C++ of a stage has the same path below its folder as the learner's has."""
    (toy.stage / "csrc").mkdir()
    toy.source = toy.source.rename(toy.stage / "csrc" / "sums.py")
    room.hand_in("ada", b"", place=f"{around}/01_toy/src/norch_toy/__init__.py")
    room.hand_in("ada", toy.source.read_bytes(), place=f"{around}/01_toy/csrc/sums.py")
    assert room.grade()[0] == {"ada": ["missing", "missing"]}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_of_byte_order_and_windows_line_ends_are_read(toy, room, encoding) -> None:
    toy.answer("1.2", RIGHT.replace("mine", "m\xfc"))
    text = toy.stub.read_text(encoding="utf-8").replace("\n", "\r\n")
    room.hand_in("ada", text.encode(encoding))
    assert room.grade()[0] == {"ada": ["todo", "ok"]}


def test_a_file_indented_with_tabs_is_read(toy, room) -> None:
    toy.answer("1.1", "    if numbers:\n        return sum(numbers)\n    return 0\n")
    text = toy.stub.read_text(encoding="utf-8").replace("    ", "\t")
    room.hand_in("ada", text.encode())
    assert room.grade()[0] == {"ada": ["ok", "todo"]}


def test_what_cannot_be_read_is_named_with_its_line(toy, room) -> None:
    toy.answer("1.2", RIGHT.replace("mine", "m\xfc"))
    line = 1 + toy.stub.read_text("utf-8").splitlines().index(RIGHT.replace("mine", "m\xfc")[:-1])
    room.hand_in("ada", toy.stub.read_text("utf-8").encode("latin-1"))
    room.hand_in("ben", b"x" * (1 << 21))
    table, printed = room.grade()
    assert table == {"ada": ["unreadable"] * 2, "ben": ["unreadable"] * 2}
    assert f"sums.py:{line} has a letter that is no UTF-8: save the file as UTF-8" in printed
    assert "is larger than 1048576 bytes" in printed
    assert printed.count("no UTF-8") == 1  # once for a file, not for each exercise


@pytest.mark.parametrize(
    "body",
    [
        "    while True: pass\n",
        "    while True: print('x' * 1000)\n",
        "    import os\n    os.kill(os.getpid(), 9)\n",
        "    import os\n    os.closerange(0, 50)\n    return 0\n",
        "    raise KeyboardInterrupt\n",
        "    from norch_course import testing\n    testing.expect = None\n    return 0\n",
    ],
)
def test_no_answer_stops_the_others(toy, room, monkeypatch, body) -> None:
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    toy.answer("1.1", body)
    toy.answer("1.2", RIGHT)
    room.hand_in("ada")
    room.hand_in("ben")
    assert room.grade()[0] == {"ada": ["wrong", "ok"], "ben": ["wrong", "ok"]}


def test_only_the_regions_count(toy, room) -> None:
    toy.answer("1.1", "    return 1\n")
    toy.answer("1.2", RIGHT)
    room.hand_in("ada")
    generous = toy.tests.read_bytes().replace(b"right)", b"lambda: right)")
    room.hand_in("ada", generous, place=toy.tests.relative_to(toy.root))
    room.hand_in("ada", b"TIME_LIMIT = 0\n", place="course/norch_course/running.py")
    changed = toy.stub.read_text().replace("def total(numbers)", "def total(numbers, more)")
    room.hand_in("ben", f"raise SystemExit\n{changed}".encode())
    assert room.grade()[0] == {"ada": ["wrong", "ok"], "ben": ["wrong", "ok"]}


def test_a_table_that_cannot_be_written_is_refused_at_once(toy, room, monkeypatch) -> None:
    room.hand_in("ada")
    monkeypatch.setattr(running, "run", None)
    for out in (room.folder / "nowhere" / "grades.csv", room.folder):
        assert main(toy.root, ["grade", str(room.folder), str(out)]) == 2
        assert "cannot be written" in room.capsys.readouterr().out


class Watched:
    """Stands in for `grade`: counts what is judged, and fails or waits where a test says so."""

    def __init__(self, monkeypatch) -> None:
        self.real, self.judged, self.active, self.most = marking.grade, [], 0, 0
        self.before = lambda body, times: None
        self.lock = threading.Lock()
        monkeypatch.setattr(marking, "grade", self)

    def __call__(self, exercise, answer, cache, **words):
        def key():
            found = asked()  # ends here where it is only asked what is remembered
            with self.lock:
                self.judged.append(answer.hole.body)
                self.active += 1
                self.most = max(self.most, self.active)
                times = self.judged.count(answer.hole.body)
            try:
                self.before(answer.hole.body, times)
            finally:
                with self.lock:
                    self.active -= 1
            return found

        asked = words.pop("key")
        return self.real(exercise, answer, cache, key=key, **words)


@pytest.fixture
def watched(monkeypatch):
    return Watched(monkeypatch)


def hand_in(toy, room, name, body):
    """Hand in 1.2 with a body, which has the learner's name in it."""
    toy.answer("1.2", f"{body}    # {name}\n")
    room.hand_in(name)


def test_a_row_is_there_while_the_next_learner_is_still_judged(toy, room, watched) -> None:
    for name in ("ada", "ben"):
        hand_in(toy, room, name, RIGHT)
    seen = []

    def before(body, times):
        last = time.monotonic() + 120
        while "ben" in body and not seen and time.monotonic() < last:
            seen.extend(rows(room.out)[1:] if room.out.exists() else [])
            time.sleep(0.01)

    watched.before = before
    assert room.grade()[0] == {"ada": ["todo", "ok"], "ben": ["todo", "ok"]}
    assert [row[0] for row in seen] == ["ada"]


def test_a_stop_and_a_restart_lose_nothing(toy, room, watched) -> None:
    for name in ("ada", "ben", "cyd"):
        hand_in(toy, room, name, RIGHT)

    def before(body, times):
        if "ben" in body:
            raise KeyboardInterrupt

    watched.before = before
    with pytest.raises(KeyboardInterrupt):
        main(toy.root, ["grade", str(room.folder), str(room.out)])
    assert [row[0] for row in rows(room.out)] == ["learner", "ada"]
    watched.before, first = lambda body, times: None, len(watched.judged)
    hand_in(toy, room, "ada", RIGHT)
    table, _printed = room.grade()
    assert table == {key: ["todo", "ok"] for key in ("ada", "ben", "cyd")}
    assert not any("ada" in body for body in watched.judged[first:])
    watched.judged.clear()
    assert room.grade()[0] == table and not watched.judged  # what is known is known


def test_only_what_was_changed_is_judged_again(toy, room, watched) -> None:
    for name in ("ada", "ben"):
        hand_in(toy, room, name, RIGHT)
    room.grade()
    watched.judged.clear()
    hand_in(toy, room, "ben", "    return 7\n")
    assert room.grade()[0] == {"ada": ["todo", "ok"], "ben": ["todo", "wrong"]}
    assert [body.split()[-1] for body in watched.judged] == ["ben"]


def test_the_same_text_is_judged_once(toy, room, watched) -> None:
    toy.answer("1.2", RIGHT)
    for name in ("ada", "ben", "cyd"):
        room.hand_in(name)
    assert set(map(tuple, room.grade()[0].values())) == {("todo", "ok")}
    assert watched.judged == [RIGHT]


def test_what_could_not_be_judged_is_tried_once_more_alone_and_at_the_end(
    toy, room, watched
) -> None:
    """The machine was busy: the table says so of nobody in the end, and not "wrong" meanwhile."""
    names, meanwhile = ("ada", "ben", "cyd"), []
    for name in names:
        hand_in(toy, room, name, RIGHT)

    def before(body, times):
        if times == 1:
            raise machine.not_judged(machine.BUSY)
        meanwhile.append((watched.active, len(watched.judged), rows(room.out)[1:]))

    watched.before = before
    table, printed = room.grade()
    assert table == {key: ["todo", "ok"] for key in names}
    assert [active for active, _, _ in meanwhile] == [1, 1, 1]
    assert [judged for _, judged, _ in meanwhile] == [4, 5, 6]  # all the others were tried first
    assert [without_mark(row)[1:] for row in meanwhile[0][2]] == [
        ["0", "0", "1", "todo", "not judged"]
    ] * 3
    assert "ada: 0 of 2, 1 not judged" in printed and "ada: 1 of 2\n" in printed


def test_what_can_never_be_judged_is_neither_done_nor_wrong(toy, room, watched) -> None:
    hand_in(toy, room, "ada", RIGHT)
    watched.before = lambda body, times: (_ for _ in ()).throw(machine.not_judged(machine.DISK))
    _, printed = room.grade()
    assert without_mark(rows(room.out)[1]) == ["ada", "0", "0", "1", "todo", "not judged"]
    assert "the disk is full: make room on it" in printed
    watched.before = lambda body, times: None
    assert room.grade()[0] == {"ada": ["todo", "ok"]}


def test_a_disk_that_cannot_be_read_makes_no_answer_unreadable(toy, room, monkeypatch) -> None:
    hand_in(toy, room, "ada", RIGHT)
    error = OSError(errno.EIO, "Input/output error")
    with monkeypatch.context() as patch:
        patch.setattr(workbook, "decode", lambda data: (_ for _ in ()).throw(error))
        assert main(toy.root, ["grade", str(room.folder), str(room.out)]) == 0
    assert without_mark(rows(room.out)[1]) == ["ada", "0", "0", "2", "not judged", "not judged"]


@pytest.mark.parametrize(
    ("judged", "left", "seconds", "words"),
    [
        (0, 90, 1.0, ""),
        (90, 0, 60.0, ""),
        (90, 900, 60.0, " (90 exercises a minute, about 10 minutes still)"),
        (30, 20, 30.0, " (60 exercises a minute, about a minute still)"),
    ],
)
def test_a_line_says_how_fast_it_goes_and_how_long_still(judged, left, seconds, words) -> None:
    assert marking.told(judged, left, seconds) == words
