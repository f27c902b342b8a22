"""Which sentence is said: that of a known wrong answer, where most of what follows agrees, too."""

from pathlib import Path

import pytest

from norch_course.catalog import load
from norch_course.misconceptions import ENOUGH, agreement, label, misconception, read_behaviour

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("theirs", "mine", "share"),
    [
        ("a !b c", "a !b c", 1),
        ("a !b !c !d", "a !b !c !d", 1),
        ("a !b !c !d", "a !b !c d", 0.5),
        ("a !b !c", "a !b !x", 0),
        ("a !b c d e", "a !b c d !e", 0),
        ("a !b", "a !x", 0),
        ("a b !c", "a !b !c", 0),
        ("x !b !c", "a !b !c", 1),
        ("a x !b", "a !b", 0),
        ("a !b !c", "a !b", 0),
        ("a b", "a b", 0),
        ("", "a !b", 0),
    ],
)
def test_agreement_is_the_share_of_what_either_misses_later(theirs, mine, share) -> None:
    assert agreement(theirs.split(), mine.split()) == share


def test_what_agrees_in_its_first_miss_alone_is_not_told_the_sentence(toy) -> None:
    toy.observe()
    exercise = toy.course.find("1.1")
    told = {
        "    return sum(numbers) + 1\n": "you began at one.",
        "    return sum(numbers) + (1 if len(numbers) < 2 else 9)\n": "",
    }
    for body, sentence in told.items():
        toy.answer("1.1", body)
        records = toy.check("1.1").records
        assert records[0].got == "1" and misconception(exercise, records) == sentence


def test_hardly_a_known_mistake_would_be_told_the_sentence_of_another() -> None:
    """As if each were not known: what is said then is untrue. Nothing runs, all is noted down."""
    course, untrue, known = load(ROOT), [], 0
    for exercise in course.exercises.values():
        seen = read_behaviour(exercise.stage)
        for one in exercise.wrong:
            mine = seen.get(label(exercise, one), [])
            known += 1
            untrue += [
                label(exercise, one)
                for other in exercise.wrong
                if other.says != one.says
                and agreement(seen.get(label(exercise, other), []), mine) >= ENOUGH
            ][:1]
    assert len(untrue) <= known / 75, untrue
