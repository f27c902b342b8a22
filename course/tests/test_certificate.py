"""What comes after the last exercise: the certificate, what was hardest, what to read next."""

import datetime
import re

import pytest

from norch_course import afterwards, certificate, finish, journal
from norch_course.catalog import load
from norch_course.commands import main
from norch_course.workbook import answer_to

from .test_readmes import ROOT

COURSE = load(ROOT)
RIGHT = {
    "1.1": "    return sum(numbers)\n",
    "1.2": "    return max(numbers) - min(numbers)\n",
}


@pytest.fixture
def written(toy, monkeypatch):
    """Return a function that writes the certificate, and gives its text."""
    monkeypatch.setattr(certificate, "today", lambda: datetime.date(2030, 5, 17))

    def write(*words) -> str:
        assert main(toy.root, ["progress", *words]) == 0
        return (toy.root / certificate.PAGE).read_text("utf-8")

    return write


# ---- The certificate -----------------------------------------------------------------------------


def test_the_certificate_says_what_is_right(toy, written) -> None:
    toy.answer("1.2", RIGHT["1.2"])
    toy.answer("1.1", "    return 1\n")
    text = written("--name", "Ada <King>")
    assert '<p class="name">Ada &lt;King&gt;</p>' in text
    assert "has solved 1 of the 2 exercises" in text and "about 7 minutes of work" in text
    assert ": 1 of 2 (1.2)</li>" in text and "date: 2030-05-17" in text and "signature" in text
    assert not re.search(r"https?://|src=", text)  # one file, nothing to fetch


def test_a_name_that_is_not_given_is_left_blank(toy, written) -> None:
    toy.answer("1.2", RIGHT["1.2"])
    assert '<p class="name"></p>' in written()


def test_without_a_right_answer_there_is_none(toy, capsys) -> None:
    toy.answer("1.1", "    return 1\n")
    main(toy.root, ["progress"])
    assert "to sign" not in capsys.readouterr().out
    assert not (toy.root / certificate.PAGE).exists()


def test_the_path_is_named(toy, written) -> None:
    (toy.root / "course").mkdir()
    (toy.root / "course" / "paths.toml").write_text(
        '[[path]]\nname = "last"\nsays = "to its end"\nexercises = ["1.2"]\n', "utf-8"
    )
    toy.answer("1.1", RIGHT["1.1"])
    toy.answer("1.2", RIGHT["1.2"])
    assert "the path <b>last</b> (to its end) these are 1 of 1." in written("--path", "last")
    assert "the path" not in written()


def mark_of(toy) -> str:
    return certificate.mark({one.id: answer_to(one) for one in toy.course.exercises.values()})


def test_the_mark_is_that_of_the_answers_wherever_they_stand(toy, written) -> None:
    assert mark_of(toy) == ""  # nothing is written
    toy.answer("1.1", RIGHT["1.1"])
    first = mark_of(toy)
    assert re.fullmatch(r"([0-9a-f]{4}-){3}[0-9a-f]{4}", first) and first in written()
    toy.change(toy.stub, "Add the numbers.", "My notes.")  # outside the marks
    toy.answer("1.1", "    return sum(numbers)  \n\n")
    assert mark_of(toy) == first
    toy.answer("1.1", "    return sum(list(numbers))\n")
    assert mark_of(toy) != first
    toy.answer("1.1", RIGHT["1.1"])
    toy.answer("1.2", RIGHT["1.2"])
    assert mark_of(toy) != first


def test_lines_cannot_move_from_one_answer_to_another_under_the_same_mark(toy) -> None:
    toy.answer("1.1", "    a\n    b\n")
    toy.answer("1.2", "    c\n")
    first = mark_of(toy)
    toy.answer("1.1", "    a\n")
    toy.answer("1.2", "    b\n    c\n")
    assert mark_of(toy) != first


def test_every_stage_has_words_of_what_was_learned() -> None:
    assert set(certificate.SKILLS) == {stage.number for stage in COURSE.stages}


# ---- What was hardest, and what to read ----------------------------------------------------------


def test_what_took_most_comes_first(toy, monkeypatch) -> None:
    known = {
        "1.1": journal.History(wrong=1, hints=0, seconds=50),
        "1.2": journal.History(wrong=1, hints=2, seconds=7300),
    }
    monkeypatch.setattr(journal, "history", lambda course, id: known[id])
    assert [one.id for one, _ in afterwards.hardest(toy.course, ["1.1", "1.2"])] == ["1.2", "1.1"]
    lines = "\n".join(afterwards.section(toy.course, ["1.1", "1.2"]))
    assert "1.2 Spread: 1 wrong answer and 2 hints, right 2 hours after the first check" in lines
    assert "<li>1.1 Total: 1 wrong answer</li>" in lines
    known["1.1"] = known["1.2"] = journal.History(0, 0, 90)
    assert list(afterwards.section(toy.course, ["1.1", "1.2"])) == []


def test_the_page_says_what_was_hardest(toy) -> None:
    toy.answer("1.2", "    return 0\n")
    main(toy.root, ["check", "1.2"])
    toy.answer("1.2", RIGHT["1.2"])
    main(toy.root, ["progress"])
    text = (toy.root / finish.PAGE).read_text("utf-8")
    assert "What was hardest" in text and "1.2 Spread: 1 wrong answer" in text
    toy.answer("1.2", "    return 0\n")  # it is not right any more
    main(toy.root, ["progress"])
    assert "hardest" not in (toy.root / finish.PAGE).read_text("utf-8")


def test_every_exercise_has_a_chapter_and_most_have_a_work_to_read() -> None:
    works = afterwards.papers(COURSE)
    assert set(afterwards.chapters(COURSE)) == set(COURSE.exercises)
    assert set(works) <= set(COURSE.exercises)
    assert len(works) > 0.9 * len(COURSE.exercises)


def plain(text: str) -> str:
    """Return the words of a text, without the addresses of its links."""
    return " ".join(re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "]", text)))


def test_what_is_to_be_read_stands_in_the_book() -> None:
    page = plain((ROOT / "book" / "reading.md").read_text("utf-8"))
    works = {work for found in afterwards.papers(COURSE).values() for work in found}
    assert [work for work in sorted(works) if plain(work) not in page] == []


def test_to_read_are_the_chapter_and_the_works_each_once() -> None:
    found = afterwards.to_read(COURSE, [COURSE.find("4.4"), COURSE.find("4.7")])
    assert found[0].endswith("(book/chapters/04_autograd.ipynb)")
    assert len(found) == len(set(found)) == 3
