"""What hosts and editors read: forms, updates of dependencies, the container, tasks. All of it
calls the goals of the Makefile and names what is there.

`make lint` holds the formats to their schemas; here stands what no schema knows.
"""

import glob
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GOALS = re.findall(r"^GOALS +[:+]= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
KNOWN = set(" ".join(GOALS).split())
CALLING = [
    *(path for path in (ROOT / ".github").rglob("*") if path.suffix in {".md", ".yml"}),
    ROOT / ".vscode" / "tasks.json",
    ROOT / ".devcontainer" / "devcontainer.json",
]


def settings(path: str) -> dict:
    """A JSON file of an editor, which may have lines of comment."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


@pytest.mark.parametrize("path", CALLING, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_goal_that_is_named_is_one(path: Path) -> None:
    named = re.findall(r"\bmake (?:-C \S+ )?([a-z][a-z-]*)", path.read_text(encoding="utf-8"))
    assert set(named) <= KNOWN


def test_the_tasks_of_the_editor_are_goals_with_what_they_ask_for() -> None:
    tasks = settings(".vscode/tasks.json")
    asked = {entry["id"] for entry in tasks["inputs"]}
    commands = [task["command"] for task in tasks["tasks"]]
    asks = r"\$\{input:(\w+)\}"
    cursor = r'"AT=\$\{relativeFile\}:\$\{lineNumber\}"'
    assert all(re.fullmatch(rf"make [a-z-]+(?: (?:{asks}|{cursor}))?", line) for line in commands)
    assert set(re.findall(r"\$\{input:(\w+)\}", " ".join(commands))) == asked
    labels = [task["label"] for task in tasks["tasks"]]
    assert len(set(labels)) == len(labels)


def container() -> list[str]:
    """The instructions of the container's Dockerfile, without comments, a line each."""
    text = (ROOT / ".devcontainer" / "Dockerfile").read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def packages() -> set[str]:
    (installs,) = [line for line in container() if "apt-get install" in line]
    return set(installs.split("--no-install-recommends")[1].split("&&")[0].split())


def test_the_container_has_what_set_up_needs() -> None:
    assert {"python3", "python3-venv", "python3-dev", "g++", "make", "git"} <= packages()
    assert not re.search(r"\b(curl|wget|pip|ADD|npm)\b|https?:", " ".join(container()))


def test_the_container_has_what_readers_are_told_to_install_and_nothing_else() -> None:
    told = " ".join((ROOT / f"tools/{name}").read_text() for name in ("doctor.py", "get_python.sh"))
    told += (ROOT / "README.md").read_text().partition("\n## ")[2]
    unsaid = {"ca-certificates"}  # every desktop has them; a container's Debian has none
    names = {name.replace("python3-", "python3.$1-") for name in packages() - unsaid}
    assert [
        name for name in sorted(names) if not re.search(rf"\b{re.escape(name)}(?!\w)", told)
    ] == []


def test_the_container_is_debian_and_sets_up_and_shows_by_goals() -> None:
    assert container()[0].startswith("FROM debian:")
    read = settings(".devcontainer/devcontainer.json")
    assert (ROOT / ".devcontainer" / read["build"]["dockerfile"]).exists()
    assert f"USER {read['remoteUser']}" in container()
    commands = [value for key, value in read.items() if key.endswith("Command")]
    assert commands == ["make setup QUICK=1", "make next"]
    (port,) = read["forwardPorts"]
    assert f"make book SERVE={port}" in read["portsAttributes"][str(port)]["label"]


def test_updates_look_where_versions_are_pinned() -> None:
    text = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    looked = re.findall(r"director(?:y|ies): (.*)", text)
    folders = [word for line in looked for word in line.strip("[]").split(", ")]
    found = {Path(path) for folder in folders for path in glob.glob(f"{ROOT}{folder}")}
    pinned = {path.parent for path in ROOT.glob("**/pyproject.toml") if not hidden(path)}
    pinned |= {ROOT / "book", ROOT / ".devcontainer"}
    assert found == pinned


def hidden(path: Path) -> bool:
    """Of an environment or a build, not of the tree."""
    inside = path.relative_to(ROOT).parts
    return any(part.startswith(".") or part == "build" for part in inside)


def test_updates_name_what_they_do_not_see() -> None:
    text = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    (unseen,) = re.findall(r"^# Not seen from here: (.*)\.$", text, re.MULTILINE)
    for name, place in (entry.split(" in ") for entry in unseen.split(", ")):
        assert re.search(rf"(?i){name}\W.*\d+\.\d+", (ROOT / place).read_text()), place
