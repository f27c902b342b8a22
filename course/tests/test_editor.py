"""The editor's tasks: what a check and a watch print is read as problems, at their lines."""

import json
import re

import pytest

from norch_course.commands import check
from norch_course.on_save import Session
from norch_course.running import ENGINE

TASKS = json.loads(
    re.sub(r"^\s*//.*$", "", (ENGINE.parent / ".vscode/tasks.json").read_text(), flags=re.MULTILINE)
)["tasks"]
MATCHERS = {one["command"]: one["problemMatcher"] for one in TASKS if "problemMatcher" in one}
SAYS = MATCHERS["make watch"]


def problems(lines: list[str], patterns: list[dict]) -> list[tuple[str, int, str]]:
    """Read lines as the editor does: one pattern a line, the words of a message joined."""
    found = []
    for start in range(len(lines) - len(patterns) + 1):
        facts: dict[str, str] = {}
        for line, pattern in zip(lines[start:], patterns, strict=False):
            match = re.search(pattern["regexp"], line)
            if not match:
                break
            for name in {"file", "line", "message"} & set(pattern):
                facts[name] = (
                    f"{facts[name]}\n{match[pattern[name]]}"
                    if name in facts
                    else match[pattern[name]]
                )
        else:
            found.append((facts["file"], int(facts["line"]), facts["message"]))
    return found


def test_both_tasks_read_alike() -> None:
    assert len(MATCHERS) == 2
    one, other = MATCHERS.values()
    assert one["pattern"] == other["pattern"]


@pytest.mark.parametrize(
    ("answer", "line", "message"),
    [
        ("    return 7\n", 7, "1.1  Total\ntotal([])"),
        ("    found = 0\n    return numbers[9]\n", 8, "1.1  Total\ntotal([])"),
        ("    found = 0\n    retrun 7 8\n", 8, "1.1  Total\nSyntaxError: invalid syntax"),
        ("    import os\n    os._exit(3)\n", 7, "1.1  Total\ntotal([])"),
    ],
    ids=["wrong value", "raises", "no Python", "ends Python"],
)
def test_a_wrong_answer_becomes_a_problem_at_its_line(
    toy, monkeypatch, capsys, answer, line, message
) -> None:
    monkeypatch.chdir(toy.root)
    toy.answer("1.1", answer)
    toy.answer("1.2", "    return 0\n")
    check(toy.course, ["1.1"])
    report = capsys.readouterr().out.splitlines()
    assert problems(report, SAYS["pattern"]) == [("workbook/01_toy/sums.py", line, message)]


def test_what_is_right_or_not_begun_is_no_problem(toy, monkeypatch, capsys) -> None:
    monkeypatch.chdir(toy.root)
    toy.answer("1.1", "    return sum(numbers)\n")
    check(toy.course, [])
    assert problems(capsys.readouterr().out.splitlines(), SAYS["pattern"]) == []


def test_the_watch_says_when_a_check_begins_and_ends(toy, capsys) -> None:
    session = Session(toy.course, lambda course, before: toy.course.find("1.1"))
    session.go_on()
    (waits,) = capsys.readouterr().out.splitlines()
    assert re.search(SAYS["background"]["endsPattern"], waits)
    session.begin([toy.course.find("1.1")])
    session.stop()
    begins = capsys.readouterr().out.splitlines()[1]
    assert re.search(SAYS["background"]["beginsPattern"], begins)
