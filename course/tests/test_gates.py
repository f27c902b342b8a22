"""The gates hold for the course as it is, and each of them fails when its rule is broken."""

from pathlib import Path

import pytest

from norch_course import gates, inputs
from norch_course.catalog import CourseError, load

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [
    *sorted((ROOT / "book" / "chapters").glob("*.ipynb")),
    *sorted((ROOT / "book").glob("*.md")),
    *sorted((ROOT / "stages").glob("*/README.md")),
]


@pytest.fixture(scope="module")
def course():
    return load(ROOT)


@pytest.mark.parametrize(
    "gate",
    [
        gates.entries_are_complete,
        gates.solution_restores_reference,
        gates.reference_passes,
        pytest.param(gates.a_stub_fails_its_own_tests_alone, marks=pytest.mark.long),
        pytest.param(gates.wrong_answers_are_named, marks=pytest.mark.long),
        gates.clauses_have_wrong_answers,
        gates.enough_wrong_answers_are_named,
        pytest.param(inputs.inputs_have_all_forms, marks=pytest.mark.long),
        pytest.param(inputs.other_answers_are_right, marks=pytest.mark.long),
    ],
    ids=lambda gate: gate.__name__,
)
def test_the_course_passes(gate, course) -> None:
    assert gate(course) == []


def test_no_solution_stands_in_hints_stubs_or_pages(course) -> None:
    assert PAGES
    assert gates.no_solution_leaks(course, PAGES) == []


def test_listings_with_solutions_are_folded() -> None:
    assert gates.unfolded_listings(PAGES) == []


def test_the_small_course_passes_every_gate(toy) -> None:
    toy.observe()
    assert gates.entries_are_complete(toy.course) == []
    assert gates.solution_restores_reference(toy.course) == []
    assert gates.reference_passes(toy.course) == []
    assert gates.a_stub_fails_its_own_tests_alone(toy.course) == []
    assert gates.wrong_answers_are_named(toy.course) == []
    assert gates.no_solution_leaks(toy.course, []) == []


# ---- Each gate, broken on purpose ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "Total"', 'title = " "', "1.1: has no title"),
        ("minutes = 5", "minutes = 0", "1.1: has no minutes"),
        ('task = "Add them all."', 'task = ""', "1.1: has no task"),
        ('"Begin small.", ', "", "1.1: needs three hints"),
        ('"Begin small.", ', '" ", ', "1.1: needs three hints"),
    ],
)
def test_an_incomplete_entry_is_found(toy, old: str, new: str, complaint: str) -> None:
    toy.change(toy.entries, old, new)
    assert gates.entries_are_complete(toy.course) == [complaint]


def test_wrong_answers_without_an_exercise_or_a_sentence_are_found(toy) -> None:
    toy.change(toy.wrong / "1.1.py", "#: you began at one.\n", "")
    (toy.wrong / "1.2.py").rename(toy.wrong / "1.2.cpp")
    (toy.wrong / "._1.2.py").write_text("junk\n")
    assert gates.entries_are_complete(toy.course) == [
        "wrong/1.2.cpp: no hole of that number and language",
        "1.1: has a wrong answer without a sentence",
        "1.2: has no wrong answer",
    ]


def test_a_clause_that_no_wrong_answer_drops_is_found(toy) -> None:
    task = 'task = "Add them all."'
    toy.change(toy.entries, task, f'{task}\nclauses = ["all", "twice"]')
    toy.change(toy.wrong / "1.1.py", "#: last\n", "#: last | drops: once\n")
    assert gates.clauses_have_wrong_answers(toy.course) == [
        "1.1: 'twice' is not in its task",
        "1.1: no wrong answer drops 'all'",
        "1.1: no wrong answer drops 'twice'",
        "1.1: 'once' is no clause of it",
        "1.2: lists no clauses",
    ]


def test_an_exercise_that_names_few_mistakes_is_found(toy) -> None:
    assert gates.enough_wrong_answers_are_named(toy.course) == [
        "1.1: names 2 wrong answers of 8",
        "1.2: names 1 wrong answers of 8",
    ]


def test_a_hole_without_entry_and_an_entry_without_hole_are_found(toy) -> None:
    text = toy.entries.read_text()
    toy.entries.write_text(text[: text.index('[[exercise]]\nid = "1.2"')])
    assert gates.entries_are_complete(toy.course) == ["1.2: a hole without an entry"]
    toy.entries.write_text(text.replace('id = "1.2"', 'id = "1.3"'))
    with pytest.raises(CourseError, match=r"exercise 1\.3 of exercises\.toml has no hole"):
        load(toy.root)


def test_an_entry_without_a_fact_is_found(toy) -> None:
    toy.change(toy.entries, "minutes = 7\n", "")
    with pytest.raises(CourseError, match="an entry has no 'minutes'"):
        load(toy.root)


def test_missing_tests_wrong_answers_and_long_answers_are_found(toy) -> None:
    toy.change(toy.tests, '@exercise("1.1")\n', "")
    toy.change(toy.source, "    found = 0\n", "    found = 0\n" * 13)
    (toy.wrong / "1.2.py").unlink()
    assert gates.entries_are_complete(toy.course) == [
        "1.1: has no test",
        "1.1: is longer than 15 lines",
        "1.2: has no wrong answer",
    ]


def test_a_reference_that_is_not_restored_is_found(toy, monkeypatch) -> None:
    monkeypatch.setattr(gates, "splice", lambda text, bodies, suffix: text)
    assert gates.solution_restores_reference(toy.course) == [
        "sums.py: the solutions do not restore the reference"
    ]


def test_broken_marks_in_the_reference_are_found(toy) -> None:
    course = toy.course
    toy.change(toy.source, "    # ex 1.2 end\n", "")
    assert gates.solution_restores_reference(course) == [
        "sums.py: the line '# ex 1.2 end' is missing"
    ]


def test_a_learners_work_fails_no_gate(toy) -> None:
    """Not a file that is broken, nor answers: the gates ask about the course alone."""
    toy.answer("1.1", "    return 7\n")
    toy.change(toy.stub, "# ex 1.2 begin", "# oops")
    test_the_small_course_passes_every_gate(toy)


def test_a_reference_that_fails_is_found(toy) -> None:
    toy.change(toy.source, "return found\n", "return found + 1\n")
    assert gates.reference_passes(toy.course) == ["1.1: total([]): 1"]


def test_tests_that_are_not_collected_are_found(toy) -> None:
    toy.change(toy.tests, '@exercise("1.1")', '@exercise("1.3")')
    assert gates.reference_passes(toy.course) == ["1.1: no test of it ran"]


def test_a_test_file_that_cannot_be_imported_is_found(toy) -> None:
    toy.change(toy.tests, "import spread", "import nothing_like_it")
    (complaint,) = gates.reference_passes(toy.course)
    assert "ended Python (exit code 1)" in complaint and "nothing_like_it" in complaint


def test_an_exercise_that_needs_another_is_found(toy) -> None:
    toy.change(toy.source, "max(numbers)\n", "total([max(numbers)])\n")
    assert gates.a_stub_fails_its_own_tests_alone(toy.course) == [
        "with 1.1 empty, 1.2: spread([3]): "
        "raises NotImplementedError: exercise 1.1 is yours to write"
    ]


def test_a_test_that_cannot_fail_is_found(toy) -> None:
    toy.observe()
    toy.change(toy.tests, "lambda n=numbers: total(n), right", "lambda: 3, 3")
    expected = ["with 1.1 empty, its tests do not say 'exercise 1.1 is yours to write'"]
    assert gates.a_stub_fails_its_own_tests_alone(toy.course) == expected
    assert gates.wrong_answers_are_named(toy.course) == [
        "1.1 last: graded 'ok'",
        "1.1 off_by_one: graded 'ok'",
    ]


def test_a_wrong_answer_that_is_right_or_no_code_is_found(toy) -> None:
    toy.observe()
    toy.change(toy.wrong / "1.1.py", "numbers[-1] if numbers else 0", "sum(numbers)")
    toy.change(toy.wrong / "1.2.py", "max(numbers)", "(")
    assert gates.wrong_answers_are_named(toy.course) == [
        "1.1 last: graded 'ok'",
        "1.2 largest: told 'SyntaxError: '(' was never closed', not its own sentence",
    ]


def test_two_wrong_answers_that_behave_alike_are_found(toy) -> None:
    toy.change(toy.wrong / "1.1.py", "numbers[-1] if numbers else 0", "1 + sum(numbers)")
    toy.observe()
    assert gates.wrong_answers_are_named(toy.course) == [
        "1.1 off_by_one: told 'you returned the last number alone.', not its own sentence"
    ]


SOLUTION = "return largest_number - min(numbers)"


def test_behaviour_that_was_not_written_down_is_found(toy) -> None:
    assert len(gates.wrong_answers_are_named(toy.course)) == 3
    toy.observe()
    assert gates.wrong_answers_are_named(toy.course) == []
    toy.change(toy.wrong / "1.2.py", "max(numbers)", "max(numbers) + 1")
    assert gates.wrong_answers_are_named(toy.course) == [
        "1.2 largest: told 'nothing', not its own sentence; "
        "course/exercises.py behaviour writes down how it behaves"
    ]


def test_a_solution_in_a_hint_a_task_or_a_sentence_is_found(toy) -> None:
    for path, old in (
        (toy.entries, "Two ends."),
        (toy.entries, "How far apart are they?"),
        (toy.wrong / "1.2.py", "you forgot the smallest."),
    ):
        before = path.read_text()
        toy.change(path, old, f"Write: {SOLUTION}")
        (complaint,) = gates.no_solution_leaks(toy.course, [])
        assert f"of 1.2: shows a line of the solution of 1.2: {SOLUTION}" in complaint
        path.write_text(before)


def test_a_solution_in_a_page_is_found(toy) -> None:
    page = toy.root / "page.md"
    page.write_text(f"In short:\n\n    {SOLUTION.replace(' - ', '-')}\n")
    notebook = toy.root / "chapter.ipynb"
    notebook.write_text(
        '{"cells": [{"source": ["1"], "outputs": [{"text": ["found = found + number"]}]}]}'
    )
    assert gates.no_solution_leaks(toy.course, [page, notebook]) == [
        "chapter.ipynb: shows a line of the solution of 1.1: found = found + number",
        f"page.md: shows a line of the solution of 1.2: {SOLUTION}",
    ]


def test_a_solution_that_a_stub_shows_is_found(toy, monkeypatch) -> None:
    text = toy.source.read_text()
    monkeypatch.setattr(gates, "stubs", lambda stage: {toy.stub: text})
    complaints = gates.no_solution_leaks(toy.course, [])
    assert f"sums.py: shows a line of the solution of 1.2: {SOLUTION}" in complaints


def test_a_listing_in_the_open_is_found(toy) -> None:
    page = toy.root / "page.md"
    listing = "```{literalinclude} stages/01_toy/src/norch_toy/sums.py\n"
    spread = listing + ":language: python\n:pyobject: spread\n```\n"
    page.write_text(f":::{{dropdown}} Try it first\n{spread}:::\n")
    assert gates.unfolded_listings([page]) == []
    page.write_text(spread)
    assert gates.unfolded_listings([page]) == [
        "page.md: lists spread, the solution of 1.2, in the open"
    ]
    page.write_text(f"{listing}```\n")
    assert len(gates.unfolded_listings([page])) == 2
    for options, count in [
        (":end-before: def total\n", 0),
        (":start-at: def total\n:end-before: def spread\n", 1),
        (":start-at: def spread\n:end-before: '# ex 1.2 begin'\n", 0),
        (":language: python\n:dedent:\n:start-after: ex 1.2 begin\n:end-at: return\n", 1),
    ]:
        page.write_text(f"{listing}{options}```\n")
        assert len(gates.unfolded_listings([page])) == count, options


def test_given_code_stands_in_the_stub_and_must_fail(toy) -> None:
    toy.give("    return min(numbers) - max(numbers)\n")
    toy.observe()
    assert "return min(numbers) - max(numbers)" in toy.stub.read_text()
    assert gates.a_stub_fails_its_own_tests_alone(toy.course) == []
    assert gates.no_solution_leaks(toy.course, []) == []


def test_given_code_that_passes_is_found(toy) -> None:
    toy.give("    return max(numbers) - min(numbers)\n")
    expected = ["1.2: the code that is given passes its tests"]
    assert gates.a_stub_fails_its_own_tests_alone(toy.course) == expected
