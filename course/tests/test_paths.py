"""Paths through the exercises: which they are, which one a learner is on, what commands say."""

from statistics import mean

import pytest

from norch_course import difficulty, journal, paths, ready
from norch_course.catalog import CourseError, load
from norch_course.commands import main

from .test_readmes import ROOT

COURSE = load(ROOT)
RIGHT = {
    "1.1": "    return sum(numbers)\n",
    "1.2": "    return max(numbers) - min(numbers)\n",
}
HOURS = {"short": (5.5, 6.5), "numerics": (3, 8), "cuda": (3, 8), "parallel": (3, 8)}


@pytest.fixture
def say(toy, capsys):
    """Run a command on the small course, which has a path; return its exit code and its words."""
    (toy.root / "course").mkdir()
    (toy.root / "course" / "paths.toml").write_text(
        '[[path]]\nname = "last"\nsays = "to its end"\nexercises = ["1.2"]\n', "utf-8"
    )

    def run(*words):
        code = main(toy.root, list(words))
        return code, capsys.readouterr().out

    return run


# ---- Those of the course -------------------------------------------------------------------------


def test_the_paths_are_what_they_promise() -> None:
    found = paths.read(COURSE)
    assert list(found) == list(HOURS)
    for name, path in found.items():
        ids = [one.id for one in path.exercises]
        assert len(set(ids)) == len(ids)
        least, most = HOURS[name]
        assert least <= path.minutes / 60 <= most, name


def test_the_short_path_has_twenty_exercises_of_all_stages_and_none_that_is_optional() -> None:
    short = paths.read(COURSE)["short"].exercises
    assert len(short) == 20
    assert {one.stage.number for one in short} == {stage.number for stage in COURSE.stages}
    assert not any(one.optional for one in short)
    assert [one.id for one in short] == [id for id in COURSE.exercises if COURSE.find(id) in short]


def test_few_exercises_are_optional() -> None:
    assert 5 <= sum(one.optional for one in COURSE.exercises.values()) <= 15


def test_the_difficulty_grows_with_the_minutes_that_an_exercise_takes() -> None:
    kinds = [[], [], []]
    for one in COURSE.exercises.values():
        kinds[difficulty.difficulty(one) - 1].append(one.minutes)
    assert min(map(len, kinds)) > len(COURSE.exercises) / 5
    first, second, third = map(mean, kinds)
    assert first < second < third


def test_difficulty_counts_words_and_ideas_and_no_comments(toy) -> None:
    one = toy.course.find("1.2")
    assert difficulty.lines(one) == 1.3  # words and signs, ten to a line
    toy.change(toy.source, "    largest_number =", "    # the largest\n    largest_number =")
    assert difficulty.lines(toy.course.find("1.2")) == 1.3
    assert difficulty.difficulty(one) == 1
    for clauses, kind in ((10, 1), (11, 2), (15, 2), (16, 3)):
        listed = ", ".join(f'"{n}"' for n in range(clauses))
        text = toy.entries.read_text()
        toy.change(toy.entries, "minutes = 7\n", f"minutes = 7\nclauses = [{listed}]\n")
        assert difficulty.difficulty(toy.course.find("1.2")) == kind
        toy.entries.write_text(text)


# ---- The one that a learner is on ----------------------------------------------------------------


def test_next_stays_on_the_path_that_was_chosen_until_all_is_chosen(toy, say) -> None:
    assert say("next")[1].startswith("1.1  Total")
    first, second = say("next", "--path", "last")[1].splitlines()[:2]
    assert first == ("path last: 0 of 1 exercises done, about 7 minutes left (PATH=all leaves it)")
    assert second.startswith("1.2  Spread") and second.endswith("7 minutes, difficulty 1")
    assert "1.2  Spread" in say("next")[1]
    assert "1.1  Total" in say("next", "--path", "all")[1]
    assert "1.1  Total" in say("next")[1] and "path last" not in say("next")[1]


def test_a_path_that_is_done_says_what_comes_after_it(toy, say) -> None:
    toy.answer("1.2", RIGHT["1.2"])
    text = say("next", "--path", "last")[1]
    assert text.startswith("All 1 exercises of the path last are done.\n")
    assert "make project 7" in text and "make next PATH=all" in text
    toy.answer("1.1", RIGHT["1.1"])
    text = say("next", "--path", "all")[1]
    assert text.startswith("All 2 exercises are done.\n")
    assert "make project 7" in text and "PATH=all" not in text


def test_check_and_progress_know_the_path_and_change_nothing(toy, say) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    assert "1.1  Total" in say("check")[1]
    code, text = say("check", "--path", "last")
    assert code == 1 and text.startswith("path last: 1 exercises") and "1.1  " not in text
    assert "1.1  Total" in say("check")[1]  # it was about that command alone
    say("next", "--path", "last")
    assert "1.1  " not in say("check")[1] and "1.1  Total" in say("check", "--path", "all")[1]
    assert "1.1  Total" in say("check", "1.1")[1]  # an exercise that is named is not the path's
    lines = say("progress")[1].splitlines()
    assert lines[0].startswith("stage 1  [....................] 0 of 1 (0 %)")
    assert lines[1].startswith("  1.2  Spread") and "about 7 minutes left" in lines[2]
    assert (
        lines[2].startswith("last     [")
        and lines[3] == "all      [##########..........] 1 of 2 (50 %)"
    )
    assert "1.1  Total" in say("progress", "--path", "all")[1]


def test_exercises_that_are_optional_come_last_and_are_marked(toy, say) -> None:
    toy.change(toy.entries, "minutes = 5\n", "minutes = 5\noptional = true\n")
    assert say("next")[1].startswith("1.2  Spread")
    assert "5 minutes, difficulty 1, optional" in say("progress")[1]
    toy.answer("1.2", RIGHT["1.2"])
    assert say("next")[1].startswith("1.1  Total")


@pytest.mark.parametrize("command", ["next", "check", "progress"])
def test_a_path_that_does_not_exist_is_refused_and_not_chosen(toy, say, command) -> None:
    say("next", "--path", "last")
    code, text = say(command, "--path", "lost")
    assert code == 2 and text == "[course] there is no path 'lost': paths are last, all\n"
    assert journal.path(toy.course) == "last"


def test_a_path_that_is_gone_is_none(toy, say) -> None:
    say("next", "--path", "last")
    (toy.root / "course" / "paths.toml").unlink()
    assert say("next")[1].startswith("1.1  Total")


def test_a_path_with_an_exercise_that_does_not_exist_is_found(toy, say) -> None:
    toy.change(toy.root / "course" / "paths.toml", '"1.2"', '"1.7"')
    assert say("next") == (2, "[course] there is no exercise 1.7: stage 1 has 1.1 to 1.2\n")


# ---- What has to be compiled ---------------------------------------------------------------------


def test_next_says_that_a_check_compiles_before_it_does(toy, say, monkeypatch) -> None:
    assert "compiles" not in say("next")[1]

    def missing(stage):
        raise CourseError("not installed")

    monkeypatch.setattr(ready, "need_packages", missing)
    text = say("next")[1]
    assert "the first make check 1.1 compiles what stages 2 to 6 run on: about " in text
    assert "C++ compiler and Python's headers" in text


def test_compiling_takes_longer_on_fewer_cores() -> None:
    times = [ready.seconds(cores) for cores in (1, 2, 4, 64)]
    assert times == sorted(times, reverse=True) and times[1] <= 40
