"""The stages' READMEs: one page each, built alike, and true about their exercises."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from norch_course.catalog import Stage, load
from norch_course.difficulty import difficulty

ROOT = Path(__file__).resolve().parent.parent.parent
COURSE = load(ROOT)
PARTS = [
    "# Stage ",
    "**The idea.** ",
    "## What you can explain afterwards",
    "## How to start",
    "make next",
    "| check | exercise | file in `workbook/{}/` | minutes | difficulty |",
    "## What lives where",
]


def modules(stage: Stage) -> list[str]:
    """Return the Python files of a stage's package, those of its folders left out."""
    (package,) = (path.parent for path in (stage.folder / "src").glob("*/__init__.py"))
    return sorted(path.name for path in package.glob("*.py") if not path.name.startswith("__"))


def named(module: str, text: str) -> bool:
    """Say whether a README names a file, by itself or as one of `recurrent*.py`."""
    given = re.findall(r"`([\w/*.]+\.py)`", text)
    return any(fnmatch(module, Path(name).name) for name in given)


def complaints(stage: Stage, text: str) -> list[str]:
    """Say what a stage's README lacks, or says wrongly."""
    exercises = COURSE.of_stage(stage)
    parts = [part.format(stage.folder.name) for part in PARTS]
    places = [text.find(part) for part in parts]
    found = [f"no '{part}'" for part, place in zip(parts, places, strict=True) if place < 0]
    if not found and places != sorted(places):
        found.append("its parts stand in another order")
    for one in exercises:
        file = one.stub.relative_to(stage.workbook).as_posix()
        kind = f"{difficulty(one)}{', optional' * one.optional}"
        row = f"| `make check {one.id}` | {one.title} | `{file}` | {one.minutes} | {kind} |"
        found += [f"no line '{row}'"] * (row not in text.splitlines())
    stranger = {*re.findall(r"\| `make check (\S+)` \|", text)} - {one.id for one in exercises}
    found += [f"there is no exercise {id}" for id in sorted(stranger)]
    gaps = [f"There is no {id} any more: {why}." for id, why in stage.dropped.items()]
    found += [f"no line '{gap}'" for gap in gaps if gap not in text]
    minutes = sum(one.minutes for one in exercises)
    found += [f"the exercises take {minutes} minutes"] * (f"then {minutes} minutes" not in text)
    bullets = text.partition(PARTS[2])[2].partition("## ")[0].count("\n- ")
    found += [f"{bullets} things to explain, not three"] * (bullets != 3)
    found += [f"{name} has no place" for name in modules(stage) if not named(name, text)]
    links = re.findall(r"\]\((?!http)([^)#]+)", text)
    found += [f"no file {link}" for link in links if not (stage.folder / link).exists()]
    return found


def exercises_in(text: str) -> set[str]:
    """Return the exercises that a text names, one by one or as "4.5 to 4.8"."""
    found = set()
    for stage, first, last in re.findall(r"\b(\d)\.(\d+)(?: to \d\.(\d+))?", text):
        found |= {f"{stage}.{n}" for n in range(int(first), int(last or first) + 1)}
    return found


def test_the_pages_for_all_stages_know_every_exercise() -> None:
    assert f"{len(COURSE.exercises)} in all" in (ROOT / "README.md").read_text(encoding="utf-8")
    plan = (ROOT / "book" / "teachers.md").read_text(encoding="utf-8")
    assert set(COURSE.exercises) - exercises_in(plan) == set()
    assert exercises_in(plan) & {id for stage in COURSE.stages for id in stage.dropped} == set()
    assert exercises_in("4.3, 4.5 to 4.7 and 6.14") == {"4.3", "4.5", "4.6", "4.7", "6.14"}


@pytest.mark.parametrize("stage", COURSE.stages, ids=lambda stage: stage.folder.name)
def test_the_readme_of_a_stage_is_complete_and_true(stage: Stage) -> None:
    text = (stage.folder / "README.md").read_text(encoding="utf-8")
    assert complaints(stage, text) == []
    rows = r"\| `make check|\| [\w/]+\.py \| (entered|no) \|"
    lines = [line for line in text.splitlines() if not re.match(rows, line)]
    assert len(lines) <= 105  # and a row for each exercise, and for each file that one pass enters


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("**The idea.**", "**It.**", "no '**The idea.** '"),
        ("## How to start", "## What lives where", "no '## How to start'"),
        ("Sliding windows | `picking.py` | 15", "Windows | `picking.py` | 15", "no line '| `make"),
        ("`make check 1.9`", "`make check 1.10`", "there is no exercise 1.10"),
        ("then 135 minutes", "then 13 minutes", "the exercises take 135 minutes"),
        ("## How to start", "- and more\n\n## How to start", "4 things to explain, not three"),
        ("`picking.py`", "`choosing.py`", "picking.py has no place"),
        ("chapters/01_", "chapters/11_", "no file ../../book/chapters/11_strides.ipynb"),
    ],
)
def test_a_readme_that_is_wrong_is_found(old: str, new: str, complaint: str) -> None:
    stage = COURSE.stages[0]
    text = (stage.folder / "README.md").read_text(encoding="utf-8")
    assert old in text
    assert any(line.startswith(complaint) for line in complaints(stage, text.replace(old, new)))
